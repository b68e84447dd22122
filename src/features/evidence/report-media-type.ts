/** All types that a report is served as, without their parameters. */
export const REPORT_MEDIA_TYPES = [
  'text/html',
  'application/xml',
  'application/json',
  'application/x-ndjson',
  'text/plain',
] as const;

const SPACE = /^[\s\uFEFF]*/;

/** As what a report is served. Its beginning tells, because several formats are written both as XML and as JSON. */
export function mediaTypeOf(format: string, beginning: Uint8Array): string {
  if (format === 'html') return 'text/html; charset=utf-8';
  if (format === 'go-test') return 'application/x-ndjson';
  const [first] = textOf(beginning).replace(SPACE, '');
  if (first === '<') return 'application/xml';
  return first === '{' || first === '[' ? 'application/json' : 'text/plain; charset=utf-8';
}

/** UTF-16 is read where its mark says so, as the formats are. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}
