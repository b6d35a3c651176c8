//! What every page says above its own content: that nothing runs because the policy
//! is broken.

use crate::Shared;
use crate::inbox::on_blocking_thread;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use toolgate_core::visible;
use toolgate_runtime::{Broken, load};

tokio::task_local! {
    /// The notice of the page that is being made.
    static NOTICE: Option<String>;
}

/// The notice of the page that is being made, if there is one.
pub(crate) fn current() -> Option<String> {
    NOTICE.try_with(Clone::clone).ok().flatten()
}

/// Looks at the policy before a page is made.
pub(crate) async fn with_notice(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_page = *request.method() == Method::GET && !path.starts_with("/api/") && path != "/live";
    if !is_page {
        return next.run(request).await;
    }
    let look = |app: &crate::App| {
        let faults = load(&app.setup.dirs, &app.setup.project).err();
        Ok(faults.map(|faults| visible(&Broken::from(faults).what)))
    };
    let notice = on_blocking_thread(&app, look).await.unwrap_or_default();
    NOTICE.scope(notice, next.run(request)).await
}
