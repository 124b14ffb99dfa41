//! The documented forms of vendors' tokens: a row each, in the order of their first letters.

/// One documented form: a prefix, then so much of an alphabet.
pub(super) struct Form {
    pub(super) prefix: &'static str,
    /// What the marker calls it.
    pub(super) kind: &'static str,
    /// What may follow the prefix.
    pub(super) body: Body,
    /// The fewest bytes of it.
    pub(super) least: usize,
    /// Whether there are never more.
    pub(super) exact: bool,
}

/// What may follow a prefix.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Body {
    /// Letters and digits.
    Plain,
    /// Digits and the letters `a` to `f`.
    Hex,
    /// Letters, digits and `_`.
    Word,
    /// base64url.
    Url,
    /// base64url with a digit in it, which tells it from words with hyphens.
    Drawn,
    /// base64url in parts with dots between.
    Dotted,
    /// base64url after a digit.
    Numbered,
    /// base64, perhaps with its symbols escaped as in a URL.
    Base64,
    /// The secret path of a URL, whose beginning is kept.
    Path,
}

use Body::{Base64, Dotted, Drawn, Hex, Numbered, Path, Plain, Url, Word};

/// A token with at least so many bytes after its prefix.
const fn form(prefix: &'static str, kind: &'static str, body: Body, least: usize) -> Form {
    Form { prefix, kind, body, least, exact: false }
}

/// A token with exactly so many.
const fn exact(prefix: &'static str, kind: &'static str, body: Body, least: usize) -> Form {
    Form { prefix, kind, body, least, exact: true }
}

/// Where a length may grow, the least one is given. Rows with the same first letter stand together.
const FORMS: &[Form] = &[
    // A refresh token of Google's OAuth.
    form("1//0", "google", Drawn, 40),
    form("AGE-SECRET-KEY-1", "age", Plain, 40),
    form("AIza", "google", Url, 35),
    form("ATATT3", "atlassian", Url, 60),
    form("ATBB", "atlassian", Plain, 32),
    form("ATCTT3", "atlassian", Url, 60),
    form("CCIPAT_", "circleci", Word, 40),
    form("CCIPRJ_", "circleci", Word, 40),
    exact("EAAA", "square", Url, 60),
    form("EAACEdEose0cBA", "facebook", Plain, 20),
    exact("EZAK", "easypost", Plain, 54),
    exact("EZTK", "easypost", Plain, 54),
    // What AWS calls a session token has no prefix, but always the same beginning.
    form("FwoGZXIvYXdz", "aws-session-token", Base64, 60),
    form("GOCSPX-", "google", Url, 24),
    form("GR1348941", "gitlab", Url, 20),
    form("HRKU-", "heroku", Drawn, 32),
    form("IQoJb3JpZ2lu", "aws-session-token", Base64, 60),
    exact("NRAK-", "new-relic", Plain, 27),
    form("PMAK-", "postman", Drawn, 59),
    form("SG.", "sendgrid", Dotted, 60),
    exact("SK", "twilio", Hex, 32),
    form("bkua_", "buildkite", Plain, 40),
    exact("cio", "crates-io", Plain, 32),
    exact("dapi", "databricks", Hex, 32),
    form("dckr_oat_", "docker", Drawn, 24),
    form("dckr_pat_", "docker", Drawn, 24),
    form("discord.com/api/webhooks/", "discord", Path, 60),
    form("discordapp.com/api/webhooks/", "discord", Path, 60),
    form("doo_v1_", "digitalocean", Plain, 64),
    form("dop_v1_", "digitalocean", Plain, 64),
    form("dor_v1_", "digitalocean", Plain, 64),
    form("dp.audit.", "doppler", Plain, 40),
    form("dp.ct.", "doppler", Plain, 40),
    form("dp.pt.", "doppler", Plain, 40),
    form("dp.sa.", "doppler", Plain, 40),
    form("dp.scim.", "doppler", Plain, 40),
    form("dp.st.", "doppler", Dotted, 40),
    form("figd_", "figma", Drawn, 40),
    form("fm1_", "fly", Base64, 60),
    form("fm1a_", "fly", Base64, 60),
    form("fm1r_", "fly", Base64, 60),
    form("fm2_", "fly", Base64, 60),
    form("fo1_", "fly", Drawn, 40),
    form("ghp_", "github", Word, 36),
    form("gho_", "github", Word, 36),
    // Tokens of apps may be JWTs behind an id: dots, hyphens, hundreds of bytes.
    form("ghu_", "github", Dotted, 36),
    form("ghs_", "github", Dotted, 36),
    form("ghr_", "github", Word, 36),
    form("github_pat_", "github", Word, 60),
    form("glagent-", "gitlab", Dotted, 20),
    form("glc_", "grafana", Base64, 60),
    form("glcbt-", "gitlab", Dotted, 20),
    form("gldt-", "gitlab", Dotted, 20),
    form("glffct-", "gitlab", Dotted, 20),
    form("glft-", "gitlab", Dotted, 20),
    form("glimt-", "gitlab", Dotted, 20),
    form("gloas-", "gitlab", Dotted, 20),
    form("glpat-", "gitlab", Dotted, 20),
    form("glptt-", "gitlab", Dotted, 20),
    form("glrt-", "gitlab", Dotted, 20),
    form("glrtr-", "gitlab", Dotted, 20),
    form("glsa_", "grafana", Word, 41),
    form("glsoat-", "gitlab", Dotted, 20),
    form("glwt-", "gitlab", Dotted, 20),
    form("gsk_", "groq", Plain, 48),
    form("hf_", "hugging-face", Plain, 34),
    form("hooks.slack.com/services/", "slack", Path, 20),
    form("hooks.slack.com/triggers/", "slack", Path, 20),
    form("hooks.slack.com/workflows/", "slack", Path, 20),
    form("hvb.", "vault", Drawn, 24),
    form("hvr.", "vault", Drawn, 24),
    form("hvs.", "vault", Drawn, 24),
    exact("key-", "mailgun", Hex, 32),
    form("lin_api_", "linear", Plain, 32),
    form("lin_oauth_", "linear", Plain, 32),
    form("lsv2_pt_", "langsmith", Word, 40),
    form("lsv2_sk_", "langsmith", Word, 40),
    form("nfp_", "netlify", Plain, 36),
    form("npm_", "npm", Plain, 36),
    form("ntn_", "notion", Plain, 40),
    // A service account's token is JSON in base64url.
    form("ops_eyJ", "1password", Url, 60),
    form("pcsk_", "pinecone", Word, 50),
    form("phx_", "posthog", Plain, 40),
    form("pplx-", "perplexity", Plain, 40),
    form("pscale_oauth_", "planetscale", Drawn, 32),
    form("pscale_pw_", "planetscale", Drawn, 32),
    form("pscale_tkn_", "planetscale", Drawn, 32),
    form("pul-", "pulumi", Plain, 40),
    // Every PyPI token is a macaroon of version 2, which begins with `Ag` in base64.
    form("pypi-Ag", "pypi", Url, 50),
    exact("r8_", "replicate", Plain, 37),
    form("rk_live_", "stripe", Plain, 16),
    form("rk_test_", "stripe", Plain, 16),
    exact("rubygems_", "rubygems", Hex, 48),
    exact("sbp_", "supabase", Hex, 40),
    form("sb_secret_", "supabase", Drawn, 24),
    exact("secret_", "notion", Plain, 43),
    form("shpat_", "shopify", Hex, 32),
    form("shpca_", "shopify", Hex, 32),
    form("shppa_", "shopify", Hex, 32),
    form("shpss_", "shopify", Hex, 32),
    form("sk-admin-", "openai", Url, 20),
    form("sk-ant-", "anthropic", Url, 20),
    form("sk-proj-", "openai", Url, 20),
    form("sk-svcacct-", "openai", Url, 20),
    exact("sk_", "elevenlabs", Hex, 48),
    form("sk_live_", "stripe", Plain, 16),
    form("sk_test_", "stripe", Plain, 16),
    form("sl.", "dropbox", Url, 100),
    form("sntryi_", "sentry", Base64, 40),
    form("sntrys_", "sentry", Base64, 40),
    exact("sntryu_", "sentry", Hex, 64),
    form("sq0atp-", "square", Url, 22),
    form("sq0csp-", "square", Url, 43),
    form("tskey-", "tailscale", Drawn, 20),
    form("v1.0-", "cloudflare", Drawn, 100),
    form("webhook.office.com/webhookb2/", "teams", Path, 60),
    // The bytes are base64 where the key is one for webhooks.
    form("whsec_", "stripe", Base64, 32),
    form("xai-", "xai", Plain, 60),
    form("xapp-", "slack", Numbered, 16),
    form("xkeysib-", "brevo", Drawn, 64),
    form("xoxa-", "slack", Numbered, 16),
    form("xoxb-", "slack", Numbered, 16),
    form("xoxc-", "slack", Numbered, 16),
    form("xoxd-", "slack", Base64, 40),
    form("xoxe-", "slack", Numbered, 16),
    form("xoxo-", "slack", Numbered, 16),
    form("xoxp-", "slack", Numbered, 16),
    form("xoxr-", "slack", Numbered, 16),
    form("xoxs-", "slack", Numbered, 16),
    form("ya29.", "google", Dotted, 20),
];

/// For every ASCII character, the rows whose prefixes begin with it. Most have none, and asking this
/// first keeps plain text cheap.
static BY_FIRST: [(usize, usize); 128] = {
    let mut rows = [(0, 0); 128];
    let mut row = 0;
    while row < FORMS.len() {
        let first = FORMS[row].prefix.as_bytes()[0] as usize;
        let next = row + 1;
        rows[first] = if rows[first].1 == 0 { (row, next) } else { (rows[first].0, next) };
        row += 1;
    }
    rows
};

/// The rows whose prefixes begin with `first`.
pub(super) fn beginning_with(first: u8) -> &'static [Form] {
    let (start, end) = BY_FIRST.get(usize::from(first)).copied().unwrap_or_default();
    &FORMS[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_first_letter_and_none_of_another() {
        let mut found = 0;
        for first in 0..128u8 {
            for row in beginning_with(first) {
                assert_eq!(row.prefix.as_bytes()[0], first, "{} stands apart", row.prefix);
                found += 1;
            }
        }
        assert_eq!(found, FORMS.len());
    }
}
