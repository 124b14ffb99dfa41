//! The state of requirements by branch.

use serde_json::json;
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, OLDER};

use crate::shapes::{Compared, Is};

pub(crate) fn compare(compared: &mut Compared) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(
        "[project]\n\n[[gate]]\nid = \"plan\"\nbefore = [\"edit\"]\nscope = \"conversation\"\n\
         proof = { skill = \"arch-review\" }\n",
    );
    env.start("Plan it");
    let mut client = Client::start(&env, OLDER, &[]);
    let found = client.works("requirement_status", json!({"name": "plan"}));
    let fields = [
        ("satisfied", Is::Flag),
        ("requirements/plan/scope", Is::Text),
        ("requirements/plan/sessions", Is::Object),
    ];
    compared.shape("requirements/branch", &found, &fields);
    assert_eq!(env.json(&["gate", "list", "--json"])["gates"][0]["scope"], "conversation");
}
