import type { RejectionDetail } from '../state/api-rejection.js';

const DOCUMENTATION = 'https://docs.github.com/rest';

/** An unsuccessful response of the REST API, with GitHub's text. */
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

/** GitHub returns it also for an object that the caller cannot see. */
export const notFound = () => new ApiError(404, 'Not Found');
export const badCredentials = () => new ApiError(401, 'Bad credentials');
export const notAccessible = () => new ApiError(403, 'Resource not accessible by integration');
export const invalid = (detail: RejectionDetail) => new ApiError(422, 'Validation Failed', [detail]);
