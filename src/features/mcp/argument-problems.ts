import type { z } from 'zod';
import type { McpTool } from './mcp-tool.js';
import { nearestNames } from './nearest-names.js';

const MOST_SENTENCES = 5;
const LONGEST_KEY = 60;

/** Returns the problems of a call's arguments as sentences, for a caller who reads no code of the schema. */
export function argumentProblems({ name, input }: Pick<McpTool, 'name' | 'input'>, { issues }: z.ZodError): string {
  const known = Object.keys(input.shape);
  const sentences = issues.flatMap((issue) => toSentences(issue, name, known));
  return sentences.slice(0, MOST_SENTENCES).join(' ');
}

function toSentences(issue: z.core.$ZodIssue, tool: string, known: readonly string[]): readonly string[] {
  const argument = issue.path.join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownArgument(key, tool, known));
    case 'invalid_type':
      if (issue.path.length === 0) return [`The arguments of ${tool} must be an object.`];
      return [
        issue.message.endsWith('received undefined')
          ? `The argument ${argument} is missing.`
          : `The argument ${argument} must be ${TYPE_NAMES[issue.expected] ?? issue.expected}.`,
      ];
    case 'invalid_value':
      return [`The argument ${argument} must be one of ${issue.values.join(', ')}.`];
    case 'too_small':
      return [`The argument ${argument} must be ${issue.minimum} or more.`];
    case 'too_big':
      return [`The argument ${argument} must be ${issue.maximum} or less.`];
    // Each schema with a pattern states its own message. No schema has the other problems.
    case 'invalid_format':
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
      break;
  }
  return [`The argument ${argument} ${issue.message}.`];
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  number: 'a whole number',
};

function unknownArgument(key: string, tool: string, known: readonly string[]): string {
  const [nearest] = nearestNames(key.slice(0, LONGEST_KEY), known);
  const hint = nearest === undefined ? `It takes ${known.join(', ')}.` : `Did you mean ${nearest}?`;
  return `The tool ${tool} has no argument ${key.slice(0, LONGEST_KEY)}. ${hint}`;
}
