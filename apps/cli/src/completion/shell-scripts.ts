// Scripts that make a shell complete the command. Each script only passes the words to `tidemark completion` and shows
// the answer, so it stays valid when commands and options change. No script evaluates text of the answer.

/** Shells with a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Shell with a completion script. */
export type CompletedShell = (typeof SHELLS)[number];

/** Returns the completion script of a shell. */
export function completionScript(shell: CompletedShell): string {
  return SCRIPTS[shell];
}

/**
 * In bash, `:` and `=` divide words. The script joins these parts again, and removes them from the answer. Works with
 * bash 3.2, which is the bash of macOS, and without the package `bash-completion`.
 */
const BASH = `# Completion of tidemark for bash.
# Load it in each shell:  source <(tidemark completion bash)
# or store it:            tidemark completion bash > ~/.local/share/bash-completion/completions/tidemark

_tidemark() {
  local rest=\${COMP_LINE:0:COMP_POINT} last= word= paths= value= description= i
  local -a words=() found=() shown=()
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    last=\${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && last=\${last:0:\${#rest}}
    if ((i > 0)) && [[ -n $rest && $rest != [[:space:]]* ]]; then
      words[\${#words[@]} - 1]+=$last
    else
      rest=\${rest#"\${rest%%[![:space:]]*}"}
      words+=("$last")
    fi
    rest=\${rest#"$last"}
  done
  word=\${words[\${#words[@]} - 1]}
  [[ $last == [:=] ]] && last=
  while IFS=$'\\t' read -r value description; do
    if [[ -z $paths ]]; then
      paths=$value
    else
      found+=("\${value#"\${word%"$last"}"}")
      shown+=("\${value#"\${word%"$last"}"}\${description:+  ($description)}")
    fi
  done < <(tidemark completion bash --words -- "\${words[@]:1}" 2>/dev/null)
  case $paths in
    files | folders)
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do
        COMPREPLY+=("$value")
      done < <(if [[ $paths == files ]]; then compgen -f -- "$last"; else compgen -d -- "$last"; fi)
      ;;
  esac
  # Ids for a title do not begin with the word. Without a common beginning, bash lists them and leaves the word.
  if ((\${#found[@]} > 1)) && [[ \${found[0]} != "$last"* ]]; then
    found=("\${shown[@]}" ' ')
  fi
  # 63 asks for the list only, so the descriptions cannot get into the line.
  if [[ \${COMP_TYPE:-} == 63 && \${found[0]:-} == "$last"* ]] && ((\${#found[@]} > 1)); then
    COMPREPLY+=("\${shown[@]}")
  elif ((\${#found[@]} > 0)); then
    COMPREPLY+=("\${found[@]}")
  fi
}

if [[ \${BASH_VERSINFO[0]} -gt 4 || (\${BASH_VERSINFO[0]} -eq 4 && \${BASH_VERSINFO[1]} -ge 4) ]]; then
  complete -o nosort -F _tidemark tidemark
else
  complete -F _tidemark tidemark
fi
`;

const ZSH = `#compdef tidemark
# Completion of tidemark for zsh.
# Load it in each shell, after compinit:  source <(tidemark completion zsh)
# or store it in a folder of fpath:       tidemark completion zsh > ~/.zfunc/_tidemark

_tidemark() {
  local paths value description
  local -a found shown
  while IFS=$'\\t' read -r value description; do
    if [[ -z $paths ]]; then
      paths=$value
    else
      found+=("$value")
      shown+=("$value\${description:+  ($description)}")
    fi
  done < <(tidemark completion zsh --words -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( $#found > 0 )); then
    # A title is replaced by the id of its session. Several sessions are listed, and the word stays.
    if [[ $found[1] != \${(Q)PREFIX}* ]]; then
      compadd -U -l -V tidemark -d shown -a found
      if (( $#found > 1 )); then
        compstate[insert]=''
        compstate[list]='list force'
      fi
    else
      compadd -l -V tidemark -d shown -a found
    fi
  fi
  [[ $paths == none || -z $paths ]] && return
  compset -P '--[a-z-]#='
  if [[ $paths == files ]]; then _files; else _files -/; fi
}

if [[ \${funcstack[1]} == _tidemark ]]; then
  _tidemark
else
  compdef _tidemark tidemark
fi
`;

const FISH = `# Completion of tidemark for fish.
# Load it in each shell:  tidemark completion fish | source
# or store it:            tidemark completion fish > ~/.config/fish/completions/tidemark.fish

function __tidemark_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string collect)
    set -l answer (tidemark completion fish --words -- $words[2..-1] "$current" 2>/dev/null)
    set -l before (string match -r -- '^--[a-z-]+=' "$current")
    set -l path (string replace -r -- '^--[a-z-]+=' '' "$current")
    switch "$answer[1]"
        case files
            printf "$before%s\\n" (__fish_complete_path "$path")
        case folders
            printf "$before%s\\n" (__fish_complete_directories "$path" '')
    end
    if test (count $answer) -gt 1
        printf '%s\\n' $answer[2..-1]
    end
end

complete -c tidemark -e
complete -c tidemark -f -k -a '(__tidemark_complete)'
`;

const SCRIPTS: Readonly<Record<CompletedShell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
