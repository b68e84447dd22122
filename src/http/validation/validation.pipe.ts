import { type ArgumentMetadata, type Type, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { DomainError } from '../errors/domain-error.js';

const MAX_NAMED_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;

type FastPath = (value: Readonly<Record<string, unknown>>) => boolean;

const fastPaths = new WeakMap<object, FastPath>();

/**
 * Registers a fast check for a DTO on a hot route. It must accept only values that all constraints accept. Values that
 * it does not accept go through the constraints.
 */
export const registerFastPath = (dto: Type, fastPath: FastPath): void => void fastPaths.set(dto, fastPath);

class DtoValidationPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const fastPath = metadata.metatype && fastPaths.get(metadata.metatype);
    if (fastPath && typeof value === 'object' && value !== null && fastPath({ ...value })) return value;
    // The library would check members of a list or a text and report missing ones.
    if (metadata.type === 'body' && this.toValidate(metadata) && isOtherThanObject(value))
      throw new DomainError('invalid', 'The body must be an object.');
    return super.transform(value, metadata);
  }
}

/** A missing or null body is left to the DTO. */
const isOtherThanObject = (body: unknown): boolean =>
  Array.isArray(body) || (body !== undefined && typeof body !== 'object');

/**
 * Creates the pipe that validates bodies, queries and parameters. Unknown members are rejected, and no value is
 * converted implicitly.
 */
export function createValidationPipe(): ValidationPipe {
  return new DtoValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: false,
    validationError: { target: false, value: false },
    exceptionFactory: (errors) => new DomainError('invalid', describe(errors)),
  });
}

/** Builds one sentence with all fields and their problems, in a stable order. */
function describe(errors: readonly ValidationError[]): string {
  const problems = errors.flatMap((error) => listProblems(error, ''));
  const named = problems.slice(0, MAX_NAMED_PROBLEMS);
  if (problems.length > named.length) named.push(`and ${problems.length - named.length} more`);
  return `${named.join('; ')}.`;
}

function listProblems({ property, constraints = {}, children = [] }: ValidationError, parent: string): string[] {
  const own = Object.entries(constraints)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, sentence]) => `${parent}${sentence}`.slice(0, MAX_PROBLEM_LENGTH));
  return [...own, ...children.flatMap((child) => listProblems(child, `${parent}${property}.`))];
}
