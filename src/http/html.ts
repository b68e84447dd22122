/** Text that is markup already, and is not escaped again. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[] | null;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const SPECIAL = /[&<>"']/g;
/** What HTML allows in no text, with or without an escape (HTML Standard, 13.1.4), and what a file should not carry to a terminal. */
const NOT_TEXT = /[^\P{Cc}\t\n]|\p{Cs}|\p{Noncharacter_Code_Point}/gu;
const REPLACEMENT = '\uFFFD';

/** Markup whose inserted parts are escaped, unless they are markup themselves; null inserts nothing. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: fixed }, ...parts.map(textOf)));
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') {
    return part.replace(NOT_TEXT, REPLACEMENT).replace(SPECIAL, (character) => ENTITIES[character] ?? character);
  }
  return part.map(({ text }) => text).join('');
}
