import { type ArgumentMetadata, type Type, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { DomainError } from '../errors/domain-error.js';

const MAX_NAMED_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;

type Glance = (value: Readonly<Record<string, unknown>>) => boolean;

const glances = new WeakMap<object, Glance>();

/**
 * Lets values of a DTO pass that are seen at a glance to be right, where a hot route cannot wait for every constraint.
 * A glance may admit nothing that the constraints refuse; what it does not admit is left to them.
 */
export const registerFastPath = (dto: Type, glance: Glance): void => void glances.set(dto, glance);

class DtoValidationPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const glance = metadata.metatype && glances.get(metadata.metatype);
    if (glance && typeof value === 'object' && value !== null && glance({ ...value })) return value;
    // The library would look for the members of a list or a text, and name those that it does not find.
    if (metadata.type === 'body' && this.toValidate(metadata) && isOtherThanObject(value))
      throw new DomainError('invalid', 'The body must be an object.');
    return super.transform(value, metadata);
  }
}

/** A body that is none, or null, is the DTO's to judge. */
const isOtherThanObject = (body: unknown): boolean =>
  Array.isArray(body) || (body !== undefined && typeof body !== 'object');

/** Holds bodies, queries and parameters to their DTOs: an unknown member is refused, and nothing is converted unasked. */
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

/** One sentence that names each field and what it must be, in an order that does not depend on chance. */
function describe(errors: readonly ValidationError[]): string {
  const problems = errors.flatMap((error) => problemsOf(error, ''));
  const named = problems.slice(0, MAX_NAMED_PROBLEMS);
  if (problems.length > named.length) named.push(`and ${problems.length - named.length} more`);
  return `${named.join('; ')}.`;
}

function problemsOf({ property, constraints = {}, children = [] }: ValidationError, parent: string): string[] {
  const own = Object.entries(constraints)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, sentence]) => `${parent}${sentence}`.slice(0, MAX_PROBLEM_LENGTH));
  return [...own, ...children.flatMap((child) => problemsOf(child, `${parent}${property}.`))];
}
