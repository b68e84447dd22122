/**
 * Text that GitHub renders. Text from outside is inserted as inline code, because GitHub finds mentions, references,
 * addresses, emoji and formulas in all other text, even after a backslash or in an entity.
 */
class MarkdownText {
  /** Makes the type nominal. Without it any object with a `text` would be Markdown. */
  declare protected readonly isMarkdown: true;

  constructor(readonly text: string) {}
}

/** Markdown that only the functions of this file create, so that text from outside never becomes Markdown. */
export type Markdown = MarkdownText;

type Part = string | number | Markdown | readonly Markdown[] | null;

/** The limit of one inserted text. */
const MAX_CHARACTERS = 250;
/** Characters that only change the appearance of the character before them. */
const VARIATION_SELECTOR = /[\uFE0E\uFE0F]/g;
/** Characters that are invisible or change the direction of the text after them. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;
const REPLACEMENT = '\uFFFD';

/** Builds Markdown from a template. Inserts Markdown unchanged, other text as inline code, and nothing for null. */
export function gfm(fixed: TemplateStringsArray, ...parts: readonly Part[]): Markdown {
  return new MarkdownText(String.raw({ raw: fixed }, ...parts.map(partText)));
}

export const joined = (all: readonly Markdown[], between: Markdown): Markdown =>
  new MarkdownText(all.map(({ text }) => text).join(between.text));

/** Joins the parts with line breaks. */
export const lines = (all: readonly Markdown[]): Markdown => joined(all, gfm`\n`);

/** Builds a row of a table. A bar ends a cell even in code, unless an unescaped backslash precedes it. */
export function tableRow(cells: readonly Markdown[]): Markdown {
  const escaped = cells.map(({ text }) =>
    text.replaceAll(/(\\*)\|/g, (_, slashes: string) => `${slashes}${slashes.length % 2 === 0 ? '' : '\\'}\\|`),
  );
  return new MarkdownText(`| ${escaped.join(' | ')} |`);
}

/** Builds a link to an address that the service created. Returns the name without a link if the address is not a web address. */
export function link(name: Markdown, address: string): Markdown {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return name;
  const safe = url.href.replaceAll(/[^A-Za-z0-9\-.~:/?#=&%_]/g, percentEncoded);
  return new MarkdownText(`[${name.text}](${safe})`);
}

/** Builds an invisible comment that identifies a text of the service. */
export const hiddenMarker = (name: string): Markdown =>
  new MarkdownText(`<!-- ${name.replaceAll(/[^\w./:-]|-(?=-|$)/gu, percentEncoded)} -->`);

/** Returns the text if it fits into the limit of bytes. Otherwise returns as many whole lines as fit, followed by `rest`. */
export function cutMarkdown(whole: Markdown, maxBytes: number, rest: Markdown): Markdown {
  if (Buffer.byteLength(whole.text) <= maxBytes) return whole;
  const ending = `\n\n${rest.text}`;
  let left = maxBytes - Buffer.byteLength(ending);
  let result = '';
  for (const line of whole.text.split('\n')) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    result += `${line}\n`;
  }
  return new MarkdownText(`${result.trimEnd()}${ending}`);
}

function partText(part: Part): string {
  if (part === null) return '';
  if (part instanceof MarkdownText) return part.text;
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return code(part);
  return lines(part).text;
}

/**
 * Builds inline code (GFM 0.29, 6.3) that shows the text. The fence is longer than any run of backticks in the text. The
 * spaces inside are not shown. They separate a dollar sign from the fence, because both together begin a formula.
 */
function code(text: string): string {
  const content = visible(text);
  if (content === '') return '';
  const runs = content.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const space = /^[`$]|[`$]$/.test(content) ? ' ' : '';
  return `${fence}${space}${content}${space}${fence}`;
}

/** Puts the text on one line, cuts it to the limit, and replaces invisible characters. */
function visible(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().replaceAll(VARIATION_SELECTOR, '').replaceAll(UNSEEN, REPLACEMENT);
  // Cuts before it counts characters, because a report may have megabytes on one line.
  const characters = Array.from(line.slice(0, 2 * MAX_CHARACTERS + 2));
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS).join('')}…` : line;
}

const percentEncoded = (character: string): string =>
  Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
