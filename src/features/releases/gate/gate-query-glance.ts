const VERSION = /^[\w.+-]{1,100}$/;
const REPOSITORY = /^(?:[\w.-]{1,100}\/)?[\w.-]{1,100}$/;

/** Whether a query is the ordinary question: a plain version and a repository, and nothing else. */
export function isOrdinaryGateQuery(query: Readonly<Record<string, unknown>>): boolean {
  const { version, repo, ...rest } = query;
  for (const _ in rest) return false;
  return typeof version === 'string' && typeof repo === 'string' && VERSION.test(version) && REPOSITORY.test(repo);
}
