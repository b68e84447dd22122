import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';

/** Who may call a route, for machines in the rule's own terms and for people in a sentence. */
export interface AccessDescription {
  readonly kind: 'public' | 'session' | 'ci' | 'personal_key' | 'nobody';
  readonly role?: string;
  readonly scope?: string;
  readonly summary: string;
}

/** How often a route may be called, and who is counted. */
export interface RateLimitDescription {
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly per: string;
}

/** An operation of the document with what OpenAPI has no word for. */
export interface DescribedOperation extends OperationObject {
  readonly operationId: string;
  readonly 'x-access': AccessDescription;
  readonly 'x-rate-limit'?: RateLimitDescription;
}

export interface PlacedOperation {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Every operation of a described document, in the order of its paths. */
export const listOperations = ({ paths }: OpenAPIObject): readonly PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] as DescribedOperation | undefined;
      return operation ? [{ method: method.toUpperCase(), path, operation }] : [];
    }),
  );
