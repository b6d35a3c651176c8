//! What must be found, and what must not. Tokens are put together here, so that
//! no scanner takes this file for a leak.

use super::*;

const ALL: &[Personal] = &[Personal::Card, Personal::Iban, Personal::Ssn, Personal::Email];

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found: Vec<&str> = leaks(text, ALL).iter().map(|leak| leak.kind).collect();
    assert_eq!(found, expected, "{text}");
}

/// Letters that look drawn by chance.
pub(in crate::leak) fn drawn(length: usize) -> String {
    let letters = b"q7Zr2Kp9Wv4Xn8Tb3Jm6Hd1Fs5Lg0Yc";
    letters.iter().cycle().take(length).map(|byte| char::from(*byte)).collect()
}

fn drawn_hex(length: usize) -> String {
    "9f3b71c2e8d405a6".chars().cycle().take(length).collect()
}

#[test]
fn tokens_are_known_by_how_they_begin() {
    check(&format!("token ghp_{} end", drawn(36)), &["github-token"]);
    check(&format!("https://x:ghs_{}@github.com/a/b", drawn(36)), &["github-token"]);
    check(&format!("AKIA{}", "Q7ZR2KP5WV4XN3TB"), &["aws-access-key"]);
    check(&format!("export K=sk-ant-api03-{}", drawn(90)), &["anthropic-key"]);
    check(&format!("xoxb-{}", drawn(40)), &["slack-token"]);
    check(&format!("npm_{}", drawn(36)), &["npm-token"]);
    check(&format!("dop_v1_{}", drawn_hex(64)), &["digitalocean-token"]);
    check(&format!("a.ghp_{}.", drawn(36)), &["github-token"]);
}

#[test]
fn what_only_looks_like_a_token_is_left() {
    check("ghp_short and ghp_ alone", &[]);
    check(&format!("ghp_{}", "x".repeat(36)), &[]);
    check("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", &[]);
    check("AKIAIOSFODNN7EXAMPLE", &[]);
    check(&format!("my_ghp_{}", drawn(36)), &[]);
    check("sk-learn and sk-proj-name, hf_hub_download, npm_config_registry", &[]);
    check("the AIza prefix, dapi, hvs.", &[]);
}

#[test]
fn signed_tokens_say_their_algorithm() {
    // {"alg":"HS256","typ":"JWT"} . {"sub":"1234567890"…} . signature
    let head = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";
    let body = "eyJzdWIiOiI0MiIsIm5hbWUiOiJBZGEifQ";
    check(&format!("Authorization: Bearer {head}.{body}.{}", drawn(43)), &["signed-token"]);
    check(&format!("{head}.{body}"), &[]);
    check("eyJrb.eyJhbGciOiJIUzI1NiJ9.abc", &[]);
    check(&format!("data:application/json;base64,eyJ2ZXJzaW9uIjozfQ.{}", drawn(60)), &[]);
}

#[test]
fn private_keys_go_as_a_whole() {
    let key = format!(
        "-----BEGIN RSA {} KEY-----\n{}\n{}\n-----END RSA PRIVATE KEY-----\n",
        "PRIVATE",
        drawn(64),
        drawn(40)
    );
    check(&format!("before\n{key}after"), &["private-key"]);
    let text = format!("before\n{key}after");
    let clean = redacted(&text, &leaks(&text, &[]));
    assert_eq!(clean, "before\n[redacted: private-key]-----END RSA PRIVATE KEY-----\nafter");
    check(&key.replace("PRIVATE", "PUBLIC"), &[]);
    check("look for `-----BEGIN RSA PRIVATE KEY-----` in the file", &[]);
    check("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", &[]);
}

#[test]
fn values_behind_telling_names() {
    check(&format!("DB_PASSWORD={}", "hU7!kq2Z"), &["secret-value"]);
    check(&format!("\"api_key\": \"{}\"", drawn(32)), &["secret-value"]);
    check(&format!("client_secret: {}\n", drawn(40)), &["secret-value"]);
    check(&format!("aws_secret_access_key = {}\n", drawn(40)), &["secret-value"]);
    check(&format!("export GITHUB_TOKEN={}", drawn(30)), &["secret-value"]);
    let text = format!("API_TOKEN={}\nPORT=80\n", drawn(24));
    assert_eq!(redacted(&text, &leaks(&text, &[])), "API_TOKEN=[redacted: secret-value]\nPORT=80\n");
}

#[test]
fn code_and_samples_are_left() {
    for text in [
        "let token = self.next_token();",
        "password: String,",
        "password = os.environ['DB_PASSWORD_2']",
        "const apiKey = process.env.API_KEY_V2;",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "PASSWORD=changeme123",
        "PASSWORD=",
        "API_KEY=your-api-key-1234567",
        "secret_name: my-app-database-secret-v2",
        "\"token_type\": \"Bearer0123456789abcdefghij\"",
        "tokenizer = \"cl100k_base_0123456789abcd\"",
        "token_count: 1234567890123456789",
        "    integrity_token: sha512-q7Zr2Kp9Wv4Xn8Tb3Jm6Hd1Fs5Lg0Yc==",
        "access_token = get_access_token(client_id, 'abc')",
        "\"passwordResetUrl\": \"https://a.example/reset/q7Zr2Kp9Wv4Xn8\"",
        "if token == Token::Identifier { password_ok = true }",
        "secret: session-signing-key-2024",
        "error[E0425]: cannot find value `token` in this scope",
        "TOKEN_BUDGET=500000",
        "\"nextPageToken\": \"q7Zr2Kp9Wv4Xn8Tb3Jm6Hd1Fs5\"",
        "continuation_token: q7Zr2Kp9Wv4Xn8Tb3Jm6Hd1Fs5",
    ] {
        check(text, &[]);
    }
}

#[test]
fn passwords_in_addresses() {
    check("postgres://app:hG7kq2Zp@db.acme.io:5432/app", &["password-in-address"]);
    check("postgres://postgres:postgres@localhost:5432/app", &[]);
    check("postgres://app:hG7kq2Zp@db:5432/app", &["password-in-address"]);
    check("postgres://app:hG7kq2Zp@localhost:5432/app", &[]);
    check("postgres://app:postgres123@db:5432/app", &[]);
    check("amqp://guest:guest@rabbit:5672/", &[]);
    check("https://user:password@host.example.com", &[]);
    check("https://user:$TOKEN@github.com/a/b", &[]);
    check("git@github.com:a/b.git and https://github.com/a/b@v1.2.3", &[]);
}

#[test]
fn numbers_of_people_have_check_digits() {
    check("pay with 4539 1488 0343 6467 please", &["card-number"]);
    check("card: 4539148803436467", &["card-number"]);
    check("id 4539148803436467", &[]);
    check("4539 1488 0343 6468", &[]);
    check("4242 4242 4242 4242", &[]);
    check("IBAN DE44 5001 0517 5407 3249 31 at", &["bank-account"]);
    check("DE44500105175407324931", &["bank-account"]);
    check("DE45500105175407324931", &[]);
    check("SSN: 536-90-4399", &["social-security-number"]);
    check("build 536-90-4399", &[]);
    check("ada@lovelace.org wrote", &["email-address"]);
    check("ada@example.com wrote", &[]);
    assert!(leaks("ada@lovelace.org", &[Personal::Card]).is_empty());
}

#[test]
fn overlapping_finds_are_one() {
    let text = format!("GITHUB_TOKEN=ghp_{}\n", drawn(36));
    check(&text, &["github-token"]);
    assert_eq!(redacted(&text, &leaks(&text, ALL)), "GITHUB_TOKEN=[redacted: github-token]\n");
}

#[test]
fn secrets_are_known_by_their_place() {
    check(&format!("deploy --token {} --env prod", drawn(24)), &["secret-value"]);
    check(&format!("tool --api-key={}", drawn(20)), &["secret-value"]);
    check("Authorization: Bearer h8Kq2ZpWv4Xn8Tb3Jm6H", &["bearer-token"]);
    check("curl -H 'authorization: bearer h8Kq2ZpWv4Xn8Tb3Jm6H' https://a.io", &["bearer-token"]);
    // ada:hG7kq2Zp
    check("Authorization: Basic YWRhOmhHN2txMlpw", &["basic-login"]);
    check("password: hunter2\n", &["secret-value"]);
    check("  password: S3cr!tz\n", &["secret-value"]);
    check("machine api.acme.io login ada password hG7kq2Zp", &["netrc-password"]);
    check("machine api.acme.io\n  login ada\n  password correcthorse\n", &["netrc-password"]);
    let key = drawn(86);
    check(
        &format!(
            "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={key}==;EndpointSuffix=core.windows.net"
        ),
        &["azure-key"],
    );
    check(
        &format!("https://acme.blob.core.windows.net/c?sv=2022-11-02&se=2026&sig={}%3D", drawn(43)),
        &["azure-signature"],
    );
    check(&format!("AZURE: {}8Q~{}", "k7Z", drawn(34)), &["azure-secret"]);
    check(&format!("SK{}", drawn_hex(32)), &["twilio-key"]);
    check(
        "postgres://app:hG7kq2Zp@db/app and mysql://root:Qw9!xkLm@mysql:3306/x",
        &["password-in-address"; 2],
    );
}

#[test]
fn places_without_a_secret_are_left() {
    for text in [
        "run it with --token TOKEN or --token <token>",
        "tool --token $GITHUB_TOKEN",
        "tool --password your-password-1",
        "git commit --secret-scanning",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "headers = { Authorization: `Bearer ${token}` }",
        "a bearer of bad-news-and-other-things",
        "Bearer authentication-with-oauth",
        "Authorization: Basic dXNlcjpwYXNzd29yZA==",
        "Basic understanding",
        "password: string",
        "password: sha256",
        "password: changeme1",
        "password: ${DB_PASSWORD}",
        "password: required, at least 8 characters",
        "password = input1",
        "password: bcrypt.hash(x)",
        "Password: Tests for the login form, part 2",
        "machine example.com login user password your-password",
        "AccountKey=<key>;EndpointSuffix=core.windows.net",
        "https://a.io/?page=2&sig=abc",
        "SKU1234567890",
    ] {
        check(text, &[]);
    }
}
