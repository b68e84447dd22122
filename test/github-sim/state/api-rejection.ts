export interface RejectionDetail {
  readonly resource?: string;
  readonly field?: string;
  readonly code: string;
  readonly message?: string;
}

/** GitHub would not do this in this state; a REST answer carries the reason as GitHub words it. */
export class ApiRejection extends Error {
  constructor(
    readonly kind: 'invalid' | 'conflict' | 'not_allowed' | 'not_found',
    message: string,
    readonly detail?: RejectionDetail,
  ) {
    super(message);
  }
}
