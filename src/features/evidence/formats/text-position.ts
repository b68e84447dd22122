/** Line and column, both from 1, of an index into a text; lines end with LF, CR LF or a lone CR. */
export function positionAt(text: string, index: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  const end = Math.min(index, text.length);
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at);
    const endsLine = code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a);
    if (!endsLine) continue;
    line += 1;
    start = at + 1;
  }
  return { line, column: end - start + 1 };
}
