import { cutMarkdown, gfm, hiddenMarker, lines, type Markdown } from '../../github/markdown.js';

/** GitHub accepts 1,024 characters. */
const MAX_BYTES = 1_024;
/** For the first line and the marker. */
const OTHER_BYTES = 200;
const MORE = gfm`…`;
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** Identifies an answer, so that it is found again after a lost response. */
const marker = (holdId: string, decisionId: string | null): Markdown =>
  hiddenMarker(`shipgate:hold:${holdId}${decisionId === null ? '' : `:${decisionId}`}`);

export const approvalComment = (
  { version, decisionId }: { readonly version: string; readonly decisionId: string },
  holdId: string,
): Markdown => lines([gfm`${version} may be deployed. Decision ${decisionId}.`, marker(holdId, decisionId)]);

export const rejectionComment = (reasons: readonly string[], holdId: string): Markdown =>
  lines([
    gfm`This deployment is rejected.`,
    gfm``,
    listReasons(reasons, MAX_BYTES - OTHER_BYTES),
    marker(holdId, null),
  ]);

export const reportComment = (reasons: readonly string[]): Markdown =>
  lines([gfm`This deployment waits.`, gfm``, listReasons(reasons, MAX_BYTES - OTHER_BYTES)]);

/** Each reason may contain names from outside, so it is inline code. */
function listReasons(reasons: readonly string[], maxBytes: number): Markdown {
  return cutMarkdown(lines(reasons.map((reason) => gfm`- ${reason}`)), maxBytes, MORE);
}

/** Returns the decision that an answer for this hold names; undefined if the comment is not such an answer. */
export function readAnswerMarker(comment: string, holdId: string): { readonly decisionId: string | null } | undefined {
  const found = new RegExp(`<!-- shipgate:hold:${holdId}(?::(${UUID}))? -->`).exec(comment);
  return found ? { decisionId: found[1] ?? null } : undefined;
}
