const RUN_PATH = /\/actions\/runs\/([1-9]\d{0,15})(?:[/?#]|$)/;

/** Returns the id of the workflow run that a URL names; null if it names none. */
export function findRunId(url: string): number | null {
  const id = Number(RUN_PATH.exec(url)?.[1]);
  return Number.isSafeInteger(id) ? id : null;
}
