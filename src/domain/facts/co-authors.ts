/** A person by their id, or where the address tells none by their login in lower case. */
export type CoAuthor = number | string;

/** A bound on both parts keeps the search linear, whatever somebody writes into a message. */
const NO_REPLY_ADDRESS =
  /(?<![\w.+-])(?:(\d{1,16})\+)?([a-z\d][a-z\d_-]{0,99}(?:\[bot\])?)@users\.noreply\.([a-z\d.-]{1,253})/gi;
const TRAILER = 'co-authored-by';

/**
 * The people whom a commit's message names as co-authors by a no-reply address of one of the hosts: `ID+login@users.noreply.github.com`,
 * or without the id, as accounts of before 2017 have it. Git looks for trailers in the last paragraph only; here each line counts
 * that names one, because a co-author who is missed could approve their own work.
 */
export function coAuthorsOf(message: string, hosts: ReadonlySet<string>): readonly CoAuthor[] {
  const found = new Set<CoAuthor>();
  for (const line of message.replaceAll(/\r?\n[ \t]+/g, ' ').split(/[\r\n]/)) {
    const start = line.toLowerCase().indexOf(TRAILER);
    if (start === -1) continue;
    for (const [, id, login = '', host = ''] of line.slice(start).matchAll(NO_REPLY_ADDRESS)) {
      if (!hosts.has(host.toLowerCase().replace(/\.+$/, ''))) continue;
      found.add(id === undefined ? login.toLowerCase() : Number(id));
    }
  }
  return [...found];
}
