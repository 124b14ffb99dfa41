//! What is taken, what stays, and that it costs no more than it should.
//!
//! Tokens are put together here, so that no scanner takes this file for a leak.

use super::{redact, scan};

mod kinds;
mod properties;

fn a(n: usize) -> String {
    "a".repeat(n)
}

/// `n` characters that look drawn at random.
fn drawn(n: usize) -> String {
    "k3F9a2Zq7Lw0Xb5T".chars().cycle().take(n).collect()
}

fn hex(n: usize) -> String {
    "3f9a2b7c0d5e1486".chars().cycle().take(n).collect()
}

#[track_caller]
fn becomes(text: &str, expected: &str) {
    assert_eq!(redact(text), expected, "for {text:?}");
    assert_eq!(redact(expected), expected, "a second time, for {text:?}");
}

#[track_caller]
fn stays(text: &str) {
    assert_eq!(redact(text), text);
}

/// Tokens that are known by their form, with the kind that the marker names.
fn tokens() -> Vec<(String, &'static str)> {
    let mut tokens = vec![
        (format!("github{}{}", "_pat_", drawn(82)), "github"),
        (format!("gh{}_123456_ey{}.ey{}.{}", "s", drawn(40), drawn(200), drawn(80)), "github"),
        (format!("gl{}-{}", "pat", drawn(20)), "gitlab"),
        (format!("gl{}-{}.01.{}", "pat", drawn(27), "0a1b2c3d4"), "gitlab"),
        (format!("xo{}-123456789012-1234567890123-{}", "xb", drawn(24)), "slack"),
        (format!("xo{}-1234567890-1234567890-1234567890-{}", "xp", hex(32)), "slack"),
        (format!("xa{}-1-A0123456789-1234567890123-{}", "pp", hex(64)), "slack"),
        (format!("s{}-{}", "k", drawn(48)), "openai"),
        (format!("s{}-{}", "k", a(48)), "openai"),
        (format!("s{}-or-v1-{}", "k", hex(64)), "openai"),
        (format!("s{}-proj-{}_{}-{}", "k", drawn(70), drawn(40), drawn(40)), "openai"),
        (format!("s{}-ant-api03-{}-{}AA", "k", drawn(60), drawn(32)), "anthropic"),
        (format!("AI{}{}", "za", drawn(35)), "google"),
        (format!("ya{}{}-{}_{}", "29.", drawn(60), drawn(60), drawn(20)), "google"),
        (format!("np{}{}", "m_", drawn(36)), "npm"),
        (format!("py{}AgEIcHlwaS5vcmc{}", "pi-", drawn(120)), "pypi"),
        (format!("h{}{}", "f_", "aB".repeat(17)), "hugging-face"),
        (format!("S{}{}.{}", "G.", drawn(22), drawn(43)), "sendgrid"),
        (format!("do{}{}", "p_v1_", hex(64)), "digitalocean"),
        (format!("ey{}.ey{}.{}", "JhbGciOiJIUzI1NiJ9", "JzdWIiOiIxIn0", drawn(43)), "jwt"),
        (format!("ey{}..{}.{}.{}", "JhbGciOiJkaXIifQ", drawn(16), drawn(20), drawn(22)), "jwt"),
    ];
    for letter in ["p", "o", "u", "s", "r"] {
        tokens.push((format!("gh{letter}_{}", a(36)), "github"));
    }
    for prefix in ["AK", "AS"] {
        tokens.push((format!("{prefix}IA{}", "J7Q2WXYZABCDEFGH"), "aws-access-key"));
    }
    for prefix in ["sk", "rk"] {
        tokens.push((format!("{prefix}_live_{}", drawn(24)), "stripe"));
    }
    tokens
}

#[test]
fn tokens_are_taken_wherever_they_stand() {
    for (token, kind) in tokens() {
        for (before, after) in [
            ("", ""),
            ("see ", "."),
            ("(", ")"),
            ("`", "`, then"),
            ("\"", "\","),
            ("one\\n", "\\ntwo"),
            ("\u{1b}[31m", "\u{1b}[0m"),
            ("https://example.org/?a%3D", "&b=1"),
            ("naïve→", "←naïve"),
            ("https://", "@example.org/x"),
        ] {
            becomes(
                &format!("{before}{token}{after}"),
                &format!("{before}[redacted:{kind}]{after}"),
            );
        }
    }
}

#[test]
fn what_is_too_short_or_inside_a_word_is_no_token() {
    for text in [
        format!("gh{}_{}", "p", a(20)),
        format!("high{}_{}", "p", a(36)),
        format!("AK{}{}", "IA", "SHORT"),
        format!("AK{}{}", "IA", "J7Q2WXYZABCDEFGH9"),
        format!("pk_{}_{}", "live", drawn(24)),
        "sk-fading-circle-with-many-words-in-it".to_owned(),
        "task-k3F9a2Zq7Lw0Xb5Tk3F9a2Zq7Lw0Xb5T".to_owned(),
        "risk-assessment-2026-for-the-whole-company".to_owned(),
        "xoxb-your-bot-token-goes-here".to_owned(),
        "npm_config_registry_and_other_long_names_of_npm".to_owned(),
        "pypi-publish-to-the-test-index-from-the-release-branch-by-hand".to_owned(),
        "eyJhbGciOiJIUzI1NiJ9 alone".to_owned(),
        "https://hooks.slack.com/services/".to_owned(),
    ] {
        stays(&text);
    }
}

#[test]
fn of_a_webhook_only_the_secret_path_goes() {
    let path = format!("T{}/B{}/{}", "0123ABCD", "0123ABCD", drawn(24));
    becomes(
        &format!("curl https://hooks.slack.com/services/{path} -d x"),
        "curl https://hooks.slack.com/services/[redacted:slack] -d x",
    );
}

#[test]
fn of_a_url_only_the_password_goes() {
    for (text, expected) in [
        ("postgres://app:hunter2@db:5432/x", "postgres://app:[redacted:url-password]@db:5432/x"),
        ("redis://:hunter2@db", "redis://:[redacted:url-password]@db"),
        ("https://u:p@ss@host/a@b", "https://u:[redacted:url-password]@host/a@b"),
        ("\"amqp://u:p%40s@h\"", "\"amqp://u:[redacted:url-password]@h\""),
        (
            "DATABASE_PASSWORD_URL=pg://u:pw@h",
            "DATABASE_PASSWORD_URL=pg://u:[redacted:url-password]@h",
        ),
        ("SECRET=pg://u:pw@h", "SECRET=pg://u:[redacted:url-password]@h"),
    ] {
        becomes(text, expected);
    }
    let token = format!("gh{}_{}", "p", a(36));
    becomes(
        &format!("https://{token}:x-oauth-basic@github.com"),
        "https://[redacted:github]:[redacted:url-password]@github.com",
    );
}

#[test]
fn private_keys_go_as_a_whole() {
    let line = drawn(64);
    for label in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        let (begin, end) =
            (format!("-----BEGIN {label}PRIVATE"), format!("-----END {label}PRIVATE"));
        for body in [
            "\nabc\n".to_owned(),
            format!("\n{line}\n{line}\nAb3=\n"),
            format!("\r\n{line}\r\n{line}\r\n"),
            format!("\\n{line}\\n{line}\\nAb3=\\n"),
            format!("\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n{line}\n{line}\n"),
            format!("\n    2\t{line}\n    3\t{line}\n    4\t"),
        ] {
            let text = format!("a {begin} KEY-----{body}{end} KEY----- b");
            becomes(&text, "a [redacted:private-key] b");
            becomes(
                &format!("PRIVATE_KEY=\"{}\"", &text[2..]),
                "PRIVATE_KEY=\"[redacted:private-key] b\"",
            );
            becomes(
                &format!("\"private_key\": \"{}\"", &text[2..]),
                "\"private_key\": \"[redacted:private-key] b\"",
            );
        }
    }
}

#[test]
fn a_private_key_without_its_end_goes_as_far_as_it_looks_like_one() {
    let line = drawn(64);
    let begin = format!("-----BEGIN RSA {} KEY-----", "PRIVATE");
    becomes(
        &format!("{begin}\n{line}\n{line}\nAb3=\nand then prose"),
        "[redacted:private-key]\nand then prose",
    );
    becomes(&format!("{begin}\nMIIEowIBAAKC"), "[redacted:private-key]");
    becomes(&format!("'{begin}\\n{line}\\n{line}' x"), "'[redacted:private-key]' x");
    becomes(
        &format!("{begin}\nx\n{begin}\n{line}"),
        &format!("{begin}\nx\n[redacted:private-key]"),
    );
    stays(&format!("if text.contains(\"{begin}\") {{ return; }}"));
    stays(&format!("-----BEGIN PUBLIC KEY-----\n{line}\n-----END PUBLIC KEY-----"));
    stays(&format!("-----BEGIN CERTIFICATE-----\n{line}\n-----END CERTIFICATE-----"));
}

#[test]
fn named_values_are_taken() {
    let aws = format!("{}/{}+{}", drawn(16), drawn(16), drawn(6));
    for (text, expected) in [
        (
            format!("aws_secret_access_key = {aws}"),
            "aws_secret_access_key = [redacted:aws-secret-key]",
        ),
        (
            format!("AWS_SECRET_ACCESS_KEY={aws}\n"),
            "AWS_SECRET_ACCESS_KEY=[redacted:aws-secret-key]\n",
        ),
        (
            format!("WAYPOST_SESSION_SECRET={}", a(32)),
            "WAYPOST_SESSION_SECRET=[redacted:waypost-key]",
        ),
        (
            format!("//registry.npmjs.org/:_authToken={}", hex(36)),
            "//registry.npmjs.org/:_authToken=[redacted:token]",
        ),
        (format!("x-api-key: {}", drawn(32)), "x-api-key: [redacted:api-key]"),
        (format!("PRIVATE-TOKEN: {}\"", drawn(20)), "PRIVATE-TOKEN: [redacted:token]\""),
        (
            format!("waypost-key-v1 {} {}\n", hex(16), hex(64)),
            &format!("waypost-key-v1 {} [redacted:waypost-key]\n", hex(16)),
        ),
    ] {
        becomes(&text, expected);
    }
    for (text, expected) in NAMED {
        becomes(text, expected);
    }
}

const NAMED: &[(&str, &str)] = &[
    ("password=letmein", "password=[redacted:password]"),
    ("SECRET_KEY = '(k3$(f9!a2&z'", "SECRET_KEY = '[redacted:secret]'"),
    ("SECRET_KEY = \"$k3#f9!a2&z\"", "SECRET_KEY = \"[redacted:secret]\""),
    ("password=yourself1", "password=[redacted:password]"),
    ("DB_PASSWORD=a,b;c make", "DB_PASSWORD=[redacted:password] make"),
    ("export TOKEN=abc123;", "export TOKEN=[redacted:token];"),
    ("Server=db;Pwd=hunter2;User=x", "Server=db;Pwd=[redacted:password];User=x"),
    ("SMTP_PASS=hunter2", "SMTP_PASS=[redacted:password]"),
    ("?a=1&access_token=abc123&b=2", "?a=1&access_token=[redacted:token]&b=2"),
    ("password = \"letmein\"", "password = \"[redacted:password]\""),
    ("password: 'letmein'", "password: '[redacted:password]'"),
    ("password = hunter2", "password = [redacted:password]"),
    ("passwd: hunter2.", "passwd: [redacted:password]."),
    ("password: 12345678", "password: [redacted:password]"),
    ("token: abcd1234", "token: [redacted:token]"),
    ("{\"client_secret\": \"swordfish\"}", "{\"client_secret\": \"[redacted:secret]\"}"),
    (
        "{\"clientSecret\":\"sword\\\"fish\",\"a\":1}",
        "{\"clientSecret\":\"[redacted:secret]\",\"a\":1}",
    ),
    ("{\\\"api_key\\\": \\\"swordfish\\\"}", "{\\\"api_key\\\": \\\"[redacted:api-key]\\\"}"),
    ("\"passphrase\": \"correct horse battery\"", "\"passphrase\": \"[redacted:password]\""),
    ("config[\"password\"] = \"letmein\"", "config[\"password\"] = \"[redacted:password]\""),
    ("'password' => 'letmein',", "'password' => '[redacted:password]',"),
    ("token := \"swordfish\"", "token := \"[redacted:token]\""),
    (
        "const API_KEY: &'static str = \"swordfish\";",
        "const API_KEY: &'static str = \"[redacted:api-key]\";",
    ),
    ("password: str = b'letmein'", "password: str = b'[redacted:password]'"),
    ("password=\"not closed", "password=\"[redacted:password] closed"),
    ("password=naïveté→x", "password=[redacted:password]"),
    ("mysql --password letmein -u x", "mysql --password [redacted:password] -u x"),
    ("cli --api-key='a b c' x", "cli --api-key='[redacted:api-key]' x"),
    ("cli --auth-token \"abc\"", "cli --auth-token \"[redacted:token]\""),
    ("cli -token abc123", "cli -token [redacted:token]"),
    ("Authorization: Bearer abcDEF123", "Authorization: Bearer [redacted:authorization]"),
    (
        "-H 'authorization: basic dXNlcjpwYXNz'",
        "-H 'authorization: basic [redacted:authorization]'",
    ),
    (
        "\"Authorization\": \"token abc12345\"",
        "\"Authorization\": \"token [redacted:authorization]\"",
    ),
    ("Authorization: abcdEFGH12345678", "Authorization: [redacted:authorization]"),
    ("with Bearer abcdEFGH12345678 in it", "with Bearer [redacted:authorization] in it"),
];

#[test]
fn what_only_looks_like_it_stays() {
    for text in STAYING {
        stays(text);
    }
    for text in [
        hex(40),
        hex(64),
        format!("commit {}\nsha256:{}", hex(40), hex(64)),
        format!("hmac-sha256:{}:{}", hex(16), hex(64)),
        format!("\"token\": \"hmac-sha256:{}:{}\"", hex(16), hex(64)),
        format!("data:image/png;base64,{}==", drawn(4000)),
        format!("integrity sha512-{}==", drawn(86)),
        format!("ssh-ed25519 {} me@example.org", drawn(68)),
    ] {
        stays(&text);
    }
}

const STAYING: &[&str] = &[
    "",
    "123e4567-e89b-42d3-a456-426614174000",
    "2026-11-15_add-login_k3f9a2",
    "the token is read from the file",
    "password: none yet",
    "Password: required!",
    "the secret: never tell anybody",
    "a token: the smallest unit; a secret = something hidden",
    "unexpected token: 'else', expected token: `;`",
    "{\"password\": \"Enter your password\", \"token\": \"token\", \"secret\": null}",
    "let token = next_token();",
    "let token = lexer.next()?;",
    "let token = self.tokens[3];",
    "token = previousToken",
    "fn password(&self) -> &str",
    "struct Login { password: String, token: Option<u64>, secret: [u8; 32], api_key: &'a str }",
    "pub const IFLA_TOKEN: Type_7_of_12 = Type_7_of_12::IFLA_TOKEN; const PASSWORD: u32 = 131072u32;",
    "pub CompleteAuthToken: SpCompleteAuthTokenFn,",
    "connect(password=password, token=get_token(), secret=self.secret, api_key=None)",
    "password=os.environ[\"X\"] token=process.env.GH",
    "if token == other2345 && secret != wanted2345 { token += offset12345; }",
    "match token => Token::Number1234",
    "max_tokens=4096 token_count=123456 TOKEN_URL=https://example.org PASSWORD_FILE=/run/x",
    "TOKEN=$TOKEN TOKEN=${TOKEN:-x} TOKEN=$(cat file) token=%TOKEN% PASSWORD=\"$1\" TOKEN=\"$HOME/.x\"",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "token=<your-token> api_key=YOUR_API_KEY password=your-password secret={secret}",
    "Password=ab cd, \"api_key\": \"ask the owner\"",
    "password=**** token=xxxxxxxx secret=… token=\"abcd...\" password=••••",
    "password= token=\"\" secret=''",
    "PWD=/home/me/project OLDPWD=/tmp private_key=~/.ssh/id_ed25519 token=/run/secrets/x1",
    "tests pass=120 fail=0",
    "use --token or --password to set it; --token TOKEN, --password <password>, --token=TOKEN",
    "--password --verbose, --password-stdin abc123",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "Authorization: Basic auth is used, and bearer tokens are too",
    "format!(\"Bearer {token}\")",
    "[redacted:github] password=[redacted:password] https://u:[redacted:url-password]@h",
    "https://example.org:8080/a@b http://user@host mailto:me@example.org git@github.com:a/b.git",
    "https://u:${PASSWORD}@host https://u:****@host",
    "me@example.org, password: ask me@example.org",
    "waypost-key-v1 is the first word of the key file",
];

#[test]
fn nothing_is_allocated_where_nothing_is_found() {
    assert!(matches!(redact("the token is read from the file"), std::borrow::Cow::Borrowed(_)));
}

/// What a rule begins or goes on with, over and over.
const UNITS: &[&str] = &[
    "a",
    " ",
    "=",
    ":",
    "-",
    "\\",
    "[",
    "\"",
    "a=",
    "a:",
    "token=",
    "token:",
    "token: ",
    "token=$",
    "token=\"",
    "token='\"",
    "token=\\\"",
    "token=\\\\\\'x",
    "--token ",
    "--token --",
    "sk-",
    "a_sk-",
    "eyJ-",
    "eyJ.",
    "eyJaaaaaaaaaa.",
    "xoxb-",
    "ghp_",
    "ghs_.",
    "ya29.",
    "AKIA",
    "SG.",
    "http://a:",
    "://",
    "http://a:b",
    "@",
    "bearer ",
    "Authorization:",
    "Authorization: basic ",
    "waypost-key-v1 a ",
    "\u{1b}[31m",
    "%3D",
    "[redacted:",
    "-----BEGIN ",
    "-----END ",
    "hooks.slack.com/services/",
    "curl -u ",
    "curl -u a:",
    "curl -u a:b ",
    "curl -u '",
    "curl -b a=b;",
    "-u ",
    "mysql -p",
    "sshpass -p a ",
    "docker login ",
    "Cookie: a=",
    "cookie:a=b;c",
    "password is ",
    "password for a ",
    "password to ",
    "machine a login b password ",
    "basic YTpi",
    "\"auth\": \"YTpi",
    "12345678:AA",
    "SK3f9a2b7c",
    "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.",
    "abcdefgh123456.atlasv1.",
    "?sig=",
    "\u{200b}",
    "g\u{200b}h\u{200b}p\u{200b}_",
    "token\u{e0041}=",
    "é",
    "token=é",
];

#[test]
fn the_work_grows_with_the_text_and_no_faster() {
    let begin = format!("-----BEGIN {} KEY-----", "PRIVATE");
    for unit in UNITS.iter().copied().chain([begin.as_str()]) {
        let steps = |copies: usize| {
            let text = unit.repeat(copies);
            scan::counting::take();
            redact(&text);
            scan::counting::take() / text.len()
        };
        let (short, long) = (steps(2_000), steps(40_000));
        assert!(long <= short + 1 && long < 100, "{unit:?}: {short}, then {long} steps a byte");
    }
}
