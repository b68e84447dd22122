/** Which of the pending reviews a page lists: those that the person may give now, or all that they may see. */
export const REVIEW_SCOPES = ['mine', 'workspace'] as const;
export type ReviewScope = (typeof REVIEW_SCOPES)[number];
