import type { z } from 'zod';
import type { PersonalKeyCaller } from '../../auth/caller.js';
import type { PersonalKeyScope } from '../../domain/keys/key-scope.js';

/** One thing that the tools of a member may ask for, in the member's name and through the member's eyes. */
export abstract class McpTool<In extends z.ZodObject = z.ZodObject, Out extends z.ZodObject = z.ZodObject> {
  abstract readonly name: string;
  abstract readonly title: string;
  /** What it is for, told to whoever has to choose among tools. */
  abstract readonly description: string;
  /** What a key has to allow; only what needs `read` changes nothing. */
  abstract readonly scope: PersonalKeyScope;
  /** Whether it may take something away, so that a client asks its person first. */
  readonly isDestructive: boolean = false;
  abstract readonly input: In;
  abstract readonly output: Out;

  /** Refuses with a `DomainError`, as the routes do that show or change the same. */
  abstract run(caller: PersonalKeyCaller, args: z.output<In>): Promise<z.input<Out>>;
}
