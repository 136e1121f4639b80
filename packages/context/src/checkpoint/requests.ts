// Finds prompts that ask for work. The latest of them is the objective of a checkpoint.

/**
 * Minimum number of words of a request. A prompt with fewer words can be an answer to a question or a short request.
 */
const REQUEST_WORDS = 4;
/** Maximum length of a short prompt, in UTF-16 units. A longer prompt is a request even if it has few words. */
const LONGEST_SHORT = 120;

/** Words that only agree, thank, or ask to continue. */
const GO_ON: ReadonlySet<string> = new Set(
  [
    'a ahead all again and as before continue cool do done exactly fine finish from go going good great is it its keep left lgtm looks more',
    'next nice now of off ok okay on remaining rest step steps stopped task tasks until were where with work you',
    'perfect please proceed right so sounds sure thank thanks that that’s thats the then this well yeah yep yes',
    'bitte das danke genau gut ja los mach passt weiter bien continuez continue merci oui vas y',
    'gracias si sí sigue vale continúa avanti continua grazie sì obrigado sim да дальше продолжай спасибо хорошо',
    '继续 好 好的 是 是的 可以 谢谢 请继续 はい 続けて 続けてください お願いします ありがとう 네 계속 계속해 감사합니다',
  ].flatMap((words) => words.split(' ')),
);

/** Commands whose arguments are not a request for work. */
const WITH_WORDS = /^\/(?:compact|clear|rename|resume)(?=\s|$)/i;
const COMMAND = /^\/[a-z][\w:-]*(?=\s|$)/i;
/** Form in which Claude Code records its commands. */
const RECORDED = /^<(?:command-(?:name|message)|local-command-\w+)>/;

/** Characters of scripts without spaces between words. Two such characters count as one word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu;

/**
 * Returns true if a prompt asks for work: it has at least `REQUEST_WORDS` words or is longer than `LONGEST_SHORT`.
 * Slash commands and prompts that only ask to continue are not requests.
 */
export function isRequest(text: string): boolean {
  return !isCommand(text) && (countWords(text) >= REQUEST_WORDS || text.length > LONGEST_SHORT) && !onlyGoesOn(text);
}

/**
 * Returns true for a short prompt that contains more than a request to continue. Such a prompt is either a request or
 * an addition to the previous request.
 */
export function isShortPrompt(text: string): boolean {
  return !isCommand(text) && text !== '' && !isRequest(text) && !onlyGoesOn(text);
}

/**
 * Returns true for a command of the client program, such as `/compact`. If several words follow a command that is not
 * in `WITH_WORDS`, the prompt counts as a request.
 */
export function isCommand(text: string): boolean {
  if (RECORDED.test(text) || WITH_WORDS.test(text)) return true;
  const command = COMMAND.exec(text)?.[0];
  return command !== undefined && countWords(text.slice(command.length)) < REQUEST_WORDS;
}

/** Pattern for "continue" in scripts without spaces between words. */
const UNSPACED_GO_ON = /^(?:好的?|请|那|嗯|では|じゃあ)*[,,、 ]*(?:请)?(?:继续|接着|続けて)/;
const SHORT_UNSPACED = 14;

function onlyGoesOn(text: string): boolean {
  if (text.length <= SHORT_UNSPACED && UNSPACED_GO_ON.test(text)) return true;
  return (text.toLowerCase().match(/[\p{L}\p{N}’]+/gu) ?? []).every((word) => GO_ON.has(word));
}

function countWords(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0;
  const spaced = text.replaceAll(UNSPACED, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return spaced + unspaced / 2;
}
