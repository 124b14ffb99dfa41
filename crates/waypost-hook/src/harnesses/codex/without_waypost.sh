    case $input in
    *'"hook_event_name":"SessionStart"'* | *'"hook_event_name": "SessionStart"'*)
        printf '%s\n' '{"systemMessage":"This project uses Waypost, which is not installed here, so its gates are not enforced. To install it, run ./scripts/install in a copy of the Waypost sources, then `waypost init` in this project."}'
        ;;
    esac
