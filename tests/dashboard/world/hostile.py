"""Texts that would like to be more than text. Where one of them is, `window.harmed` is set, or an element appears."""

SCRIPT = "<script>window.harmed=1</script>"
IMAGE = "<img src=x onerror=window.harmed=1>"
SVG = '"><svg onload=window.harmed=1><g id=injected></g></svg>'
FRAME = '<iframe id="injected" srcdoc="<script>parent.harmed=1</script>"></iframe>'
# A name of a branch has no spaces, and one of a file no slashes.
BRANCH = "fix/<script>window.harmed=1<"
FILE = "src/<img src=x onerror=window.harmed=1>.txt"
# What turns text around, what hides it, and what steers terminals.
UNSEEN = "pay \u202eegral\u202c a \u200bsum \x1b[31mred\x1b[0m"
OBJECTIVE = f"Escape {SCRIPT} {IMAGE} {SVG} everywhere"
MARKDOWN = f"""# {SCRIPT} the title

<div id="injected" onclick="window.harmed=1">{IMAGE}</div>

[a link](javascript:window.harmed=1) and [another](data:text/html;base64,PHNjcmlwdD4=) and
[one with a title](https://example.invalid/ "x\\" onmouseover=window.harmed=1 y=\\"") and <javascript:window.harmed=1>

![an image](https://evil.example.invalid/x.png "{SVG}")

| a | b |
|---|---|
| {IMAGE} | `{SCRIPT}` |

```html
{FRAME}
```

```mermaid
graph TD
  A["{IMAGE}"] --> B[{SCRIPT}]
  click A "javascript:window.harmed=1"
```

## Open questions

- [ ] [blocking] Does {IMAGE} do anything? {SVG}

## Decisions

- {SCRIPT}: {UNSEEN}
"""
