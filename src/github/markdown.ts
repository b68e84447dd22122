/**
 * Text as GitHub renders it. What others wrote stands in it as inline code: GitHub looks for mentions, references,
 * addresses, emoji and formulas in all other text, also where a backslash or an entity stands before them.
 */
class MarkdownText {
  /** Without it any object with a text would do. */
  declare protected readonly isMarkdown: true;

  constructor(readonly text: string) {}
}

/** Only the functions of this file write it, so that none can be made of a text that somebody else wrote. */
export type Markdown = MarkdownText;

type Part = string | number | Markdown | readonly Markdown[] | null;

/** Of one name or sentence that somebody else wrote. */
const MAX_CHARACTERS = 250;
/** Changes how the character before it is drawn, and is nothing by itself. */
const VARIATION_SELECTOR = /[\uFE0E\uFE0F]/g;
/** What cannot be seen, or turns round what follows it. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;
const REPLACEMENT = '\uFFFD';

/** Markdown whose inserted texts are shown as code, unless they are Markdown themselves; null inserts nothing. */
export function gfm(fixed: TemplateStringsArray, ...parts: readonly Part[]): Markdown {
  return new MarkdownText(String.raw({ raw: fixed }, ...parts.map(textOf)));
}

export const joined = (all: readonly Markdown[], between: Markdown): Markdown =>
  new MarkdownText(all.map(({ text }) => text).join(between.text));

/** One below the other. */
export const lines = (all: readonly Markdown[]): Markdown => joined(all, gfm`\n`);

/** A row of a table. A bar ends a cell even in code, unless a backslash stands before it that is not itself escaped. */
export function tableRow(cells: readonly Markdown[]): Markdown {
  const escaped = cells.map(({ text }) =>
    text.replaceAll(/(\\*)\|/g, (_, slashes: string) => `${slashes}${slashes.length % 2 === 0 ? '' : '\\'}\\|`),
  );
  return new MarkdownText(`| ${escaped.join(' | ')} |`);
}

/** A link to an address that the service made itself; what is no address of the web is no link. */
export function link(name: Markdown, address: string): Markdown {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return name;
  const safe = url.href.replaceAll(/[^A-Za-z0-9\-.~:/?#=&%_]/g, percentEncoded);
  return new MarkdownText(`[${name.text}](${safe})`);
}

/** Shown to nobody; by it the service finds again what it wrote. */
export const hiddenMark = (name: string): Markdown =>
  new MarkdownText(`<!-- ${name.replaceAll(/[^\w./:-]|-(?=-|$)/gu, percentEncoded)} -->`);

/** The same where it has the room in bytes, or else as many whole lines as have, and after them where the rest is. */
export function cutMarkdown(whole: Markdown, room: number, rest: Markdown): Markdown {
  if (Buffer.byteLength(whole.text) <= room) return whole;
  const ending = `\n\n${rest.text}`;
  let left = room - Buffer.byteLength(ending);
  let result = '';
  for (const line of whole.text.split('\n')) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    result += `${line}\n`;
  }
  return new MarkdownText(`${result.trimEnd()}${ending}`);
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof MarkdownText) return part.text;
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return code(part);
  return lines(part).text;
}

/**
 * Inline code (GFM 0.29, 6.3) that shows the text. Its fence is longer than any run of backticks in the text; the
 * spaces inside are not shown, and keep a dollar sign from the fence, because both together begin a formula.
 */
function code(text: string): string {
  const content = visible(text);
  if (content === '') return '';
  const runs = content.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const space = /^[`$]|[`$]$/.test(content) ? ' ' : '';
  return `${fence}${space}${content}${space}${fence}`;
}

/** On one line, not too long, and with a mark for each character that nobody would see. */
function visible(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().replaceAll(VARIATION_SELECTOR, '').replaceAll(UNSEEN, REPLACEMENT);
  // A glance that is cheap: a report may hold megabytes on one line.
  const characters = Array.from(line.slice(0, 2 * MAX_CHARACTERS + 2));
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS).join('')}…` : line;
}

const percentEncoded = (character: string): string =>
  Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
