//! What starts a harness without Waypost's hooks, where that takes no more than a few options and variables.

use waypost_app::harness::{Switch, Switches, Takes};

/// It has no option for that; another folder of settings, or a setting, does it.
pub(super) const GEMINI: Switches = Switches {
    variables: &["GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_RESTRICTED_MODE"],
    places: &["HOME", "GEMINI_CLI_HOME", "GEMINI_CLI_TRUSTED_FOLDERS_PATH"],
    settings: &["hooksConfig"],
    ..Switches::NONE
};

pub(super) const QWEN: Switches = Switches {
    options: &[Switch { name: "--bare", takes: Takes::Anything }],
    variables: &["QWEN_CODE_SIMPLE", "QWEN_CODE_SYSTEM_SETTINGS_PATH"],
    places: &["HOME", "QWEN_HOME", "QWEN_CODE_TRUSTED_FOLDERS_PATH"],
    settings: &["disableAllHooks"],
    ..Switches::NONE
};

pub(super) const COPILOT: Switches = Switches {
    commands: &[&["plugin", "install"]],
    places: &["HOME", "COPILOT_HOME"],
    settings: &["disableAllHooks"],
    ..Switches::NONE
};

/// Plugins are all that tells of it.
pub(super) const OPENCODE: Switches = Switches {
    options: &[Switch { name: "--pure", takes: Takes::Anything }],
    variables: &["OPENCODE_PURE", "OPENCODE_DISABLE_PROJECT_CONFIG"],
    places: &["HOME"],
    ..Switches::NONE
};

pub(super) const CURSOR: Switches = Switches { places: &["HOME"], ..Switches::NONE };
