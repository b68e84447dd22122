export interface RejectionDetail {
  readonly resource?: string;
  readonly field?: string;
  readonly code: string;
  readonly message?: string;
}

/** GitHub rejects the action in the present state. A REST response contains the reason in GitHub's words. */
export class ApiRejection extends Error {
  constructor(
    readonly kind: 'invalid' | 'conflict' | 'not_allowed' | 'not_found',
    message: string,
    readonly detail?: RejectionDetail,
  ) {
    super(message);
  }
}
