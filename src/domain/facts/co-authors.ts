/** A co-author: the GitHub user id, or the login in lower case if the address contains no id. */
export type CoAuthor = number | string;

/** The bounds on both parts keep the search linear for any message. */
const NO_REPLY_ADDRESS =
  /(?<![\w.+-])(?:(\d{1,16})\+)?([a-z\d][a-z\d_-]{0,99}(?:\[bot\])?)@users\.noreply\.([a-z\d.-]{1,253})/gi;
const TRAILER = 'co-authored-by';

/**
 * Returns the co-authors that a commit message names with a no-reply address of one of the hosts:
 * `ID+login@users.noreply.github.com`, or without the id for accounts from before 2017. Git reads trailers only in the
 * last paragraph. Here every line counts, because a missed co-author could approve their own work.
 */
export function parseCoAuthors(message: string, hosts: ReadonlySet<string>): readonly CoAuthor[] {
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
