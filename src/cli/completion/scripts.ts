/** What a shell is given so that it asks `hoga complete` for the next word. A line of an answer is a word, a tab, and what it is. */
const ASKED = "complete";

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_hoga() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(hoga ${ASKED} --word="\${COMP_WORDS[COMP_CWORD]}" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
}
complete -o default -F _hoga hoga
`,
  zsh: `#compdef hoga
_hoga() {
  local line
  local -a words_found about_found
  while IFS= read -r line; do
    words_found+=("\${line%%$'\\t'*}")
    about_found+=("\${line/$'\\t'/  }")
  done < <(hoga ${ASKED} --word="\${words[CURRENT]}" -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)
  compadd -l -d about_found -a words_found
}
compdef _hoga hoga
`,
  fish: `function __hoga_complete
  set -l before (commandline -opc)
  hoga ${ASKED} --word=(commandline -ct) -- $before[2..-1] 2>/dev/null
end
complete -c hoga -f -a '(__hoga_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName hoga -ScriptBlock {
  param($word, $ast, $cursor)
  $before = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
  hoga ${ASKED} "--word=$word" -- @before 2>$null | ForEach-Object {
    $name, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $name }
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $about)
  }
}
`,
};

export function scriptFor(shell: Shell): string {
  return SCRIPTS[shell];
}
