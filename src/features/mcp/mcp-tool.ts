import type { z } from 'zod';
import type { PersonalKeyCaller } from '../../auth/caller.js';
import type { PersonalKeyScope } from '../../domain/keys/key-scope.js';

/** A value that can be reduced to a schema: it may have more members, and its lists are not changed. */
type Reducible<T> = T extends Date
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Reducible<Item>[]
    : T extends object
      ? string extends keyof T
        ? object
        : { readonly [Name in keyof T]: Reducible<T[Name]> }
      : T;

/** The result of a tool before it is reduced to the schema that the tool publishes. */
export type ToolResult<Out extends z.ZodObject> = Reducible<z.input<Out>>;

/** A remote tool. It acts as the member who owns the key, with their permissions. */
export abstract class McpTool<In extends z.ZodObject = z.ZodObject, Out extends z.ZodObject = z.ZodObject> {
  abstract readonly name: string;
  abstract readonly title: string;
  /** The purpose of the tool, by which a client selects it. */
  abstract readonly description: string;
  /** The required scope of the key. A tool with `read` changes nothing. */
  abstract readonly scope: PersonalKeyScope;
  /** Whether it may remove something. Then clients ask their user first. */
  readonly isDestructive: boolean = false;
  abstract readonly input: In;
  abstract readonly output: Out;

  /** Runs the tool. Throws the same `DomainError` as the route for the same data. */
  abstract run(caller: PersonalKeyCaller, args: z.output<In>): Promise<ToolResult<Out>>;
}
