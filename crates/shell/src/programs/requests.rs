//! Requests made by hand that delete something at a service: `curl -X DELETE`, a
//! mutation of GraphQL.
//!
//! Which services count is data: those that hold repositories, machines, stores and
//! accounts. What someone's own program answers to is not known and not judged.

use crate::effect_kind::EffectKind;

/// Hosts whose things are not made again by a second request, and ends of such names.
const SERVICES: &[&str] = &[
    "api.github.com",
    "uploads.github.com",
    "gitlab.com",
    "api.bitbucket.org",
    "codeberg.org",
    "api.cloudflare.com",
    "api.digitalocean.com",
    "api.heroku.com",
    "api.hetzner.cloud",
    "api.linode.com",
    "api.vultr.com",
    "api.netlify.com",
    "api.vercel.com",
    "api.fly.io",
    "api.machines.dev",
    "api.render.com",
    "api.supabase.com",
    "api.planetscale.com",
    "api.pulumi.com",
    "app.terraform.io",
    "registry.npmjs.org",
    "hub.docker.com",
    "management.azure.com",
    ".amazonaws.com",
    ".googleapis.com",
    ".azure.com",
];

/// Mutations of GitHub that take more than a remark away.
const MUTATIONS: [&str; 8] = [
    "deleteRepository",
    "archiveRepository",
    "deleteRef",
    "deleteProjectV2",
    "deletePackageVersion",
    "deleteEnvironment",
    "deleteBranchProtectionRule",
    "deleteIssue",
];

/// What a request does next to reaching its host.
pub(super) fn effect_of(method: &str, url: &str, body: &str) -> Option<EffectKind> {
    // Most requests only ask.
    let deletes = method.eq_ignore_ascii_case("delete");
    if !deletes && body.is_empty() && !url.contains("_delete_by_query") {
        return None;
    }
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (place, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    let (host, port) = place.split_once(':').unwrap_or((place, ""));
    if path.starts_with("/graphql") && deletes_by_query(body) {
        return Some(EffectKind::DestroysInfrastructure);
    }
    let by_query = path.split(['?', '#']).next().is_some_and(|path| path.ends_with("/_delete_by_query"));
    if !deletes && !by_query {
        return None;
    }
    let is_it = |service: &&str| host == *service || service.starts_with('.') && host.ends_with(service);
    if SERVICES.iter().any(is_it) {
        return (!is_small(path)).then_some(EffectKind::DestroysInfrastructure);
    }
    // An index of Elasticsearch is a database; one on this machine is for trying.
    let is_here = matches!(host, "localhost" | "127.0.0.1" | "0.0.0.0" | "[::1]");
    (matches!(port, "9200" | "9243") && !is_here).then_some(EffectKind::DropsData)
}

/// Does a text of GraphQL ask to delete something?
pub(super) fn deletes_by_query(text: &str) -> bool {
    text.contains("mutation") && MUTATIONS.iter().any(|name| text.contains(name))
}

/// Is it about what a repository of GitHub has by the dozen: labels, comments, runs?
pub(super) fn is_small(path: &str) -> bool {
    let parts: Vec<&str> = path.trim_start_matches('/').split(['/', '?']).collect();
    let ["repos", _, _, rest @ ..] = parts.as_slice() else { return false };
    rest.contains(&"reactions")
        || matches!(
            rest,
            ["labels", _, ..]
                | ["issues", _, "labels", ..]
                | ["issues", "comments", _, ..]
                | ["actions", "runs", _, ..]
                | ["actions", "caches", ..]
        )
}
