/** Text that is already markup. It is not escaped again. */
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
/**
 * Characters that HTML does not allow in text even if escaped (HTML Standard, 13.1.4), and control characters that
 * could affect a terminal.
 */
const NOT_TEXT = /[^\P{Cc}\t\n]|\p{Cs}|\p{Noncharacter_Code_Point}/gu;
const REPLACEMENT = '\uFFFD';

/** Builds markup. Inserted parts are escaped unless they are markup. Null inserts nothing. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: fixed }, ...parts.map(toMarkup)));
}

function toMarkup(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') {
    return part.replace(NOT_TEXT, REPLACEMENT).replace(SPECIAL, (character) => ENTITIES[character] ?? character);
  }
  return part.map(({ text }) => text).join('');
}
