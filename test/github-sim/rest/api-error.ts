import type { RejectionDetail } from '../state/api-rejection.js';

const DOCUMENTATION = 'https://docs.github.com/rest';

/** An answer of the REST API that is not a success, worded as GitHub words it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    private readonly details?: readonly RejectionDetail[],
  ) {
    super(message);
  }

  get body(): object {
    return {
      message: this.message,
      ...(this.details && { errors: this.details }),
      documentation_url: DOCUMENTATION,
      status: String(this.status),
    };
  }
}

/** Also what GitHub says of something that the caller may not know of. */
export const notFound = () => new ApiError(404, 'Not Found');
export const badCredentials = () => new ApiError(401, 'Bad credentials');
export const notAccessible = () => new ApiError(403, 'Resource not accessible by integration');
export const invalid = (detail: RejectionDetail) => new ApiError(422, 'Validation Failed', [detail]);
