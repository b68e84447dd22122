const PRIMARY_ATTRS = ['read-write', 'primary'];

/** A connection URL in three parts. The hosts are separated by commas, which no URL parser accepts with ports. */
const PARTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)([^]*)$/i;

function split(url: string): readonly [before: string, hosts: string, after: string] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  return [before, hosts, after];
}

/**
 * Returns one connection URL for each host of a URL such as `postgres://user@a,b:5433/db?target_session_attrs=primary`.
 * A URL of one host is returned as it is.
 */
export function hostUrls(url: string): readonly [string, ...string[]] {
  const [before, hosts, after] = split(url);
  const [first, ...others] = hosts.split(',').map((host) => {
    const single = new URL(`${before}${host}${after}`);
    single.searchParams.delete('target_session_attrs');
    return single.href;
  });
  return first === undefined || others.length === 0 ? [url] : [first, ...others];
}

/** Changes a connection URL of one or of several hosts. `change` sees a single host. */
export function changeDatabaseUrl(url: string, change: (parts: URL) => void): string {
  const [before, hosts, after] = split(url);
  const changed = new URL(hosts.includes(',') ? `${before}hosts${after}` : url);
  change(changed);
  if (!hosts.includes(',')) return changed.href;
  const [newBefore, , newAfter] = split(changed.href);
  return `${newBefore}${hosts}${newAfter}`;
}

/** Checks the URL of a database. Several hosts are accepted, and the service uses the primary among them. */
export function readDatabaseUrl(text: string): string {
  const [before, hosts, after] = split(text);
  if (
    !/^postgres(?:ql)?:/i.test(before) ||
    !hosts.split(',').every((host) => URL.canParse(`${before}${host}${after}`))
  ) {
    throw new Error('must be a postgres:// URL');
  }
  if (hosts.includes(',') && hosts.split(',').includes('')) throw new Error('has an empty host between two commas');
  const attrs = new URL(`${before}host${after}`).searchParams.get('target_session_attrs');
  if (attrs !== null && !PRIMARY_ATTRS.includes(attrs)) {
    throw new Error(`must have ${PRIMARY_ATTRS.join(' or ')} as target_session_attrs, because the service writes`);
  }
  return text;
}

/** Checks the URL of a replica. Only one host is accepted, because several replicas would be behind by different times. */
export function readReplicaUrl(text: string): string {
  const [, hosts, after] = split(readDatabaseUrl(text));
  if (hosts.includes(',')) throw new Error('must have one host');
  if (after.includes('target_session_attrs')) throw new Error('must not have target_session_attrs');
  return text;
}
