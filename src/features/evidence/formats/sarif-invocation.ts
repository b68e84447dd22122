import { excerpt } from './excerpt.js';
import type { JsonObject, JsonReader } from './json-reader.js';
import type { JsonPath } from './json-scanner.js';
import { SARIF_LEVELS } from './sarif-severity.js';

const MESSAGE_LENGTH = 300;

/** What one process of a run says of itself. */
interface InvocationReport {
  /** Why it failed, as the end of a sentence; null where it did not. */
  readonly failure: string | null;
  /** The errors that it met while it ran: what it found may lack something (SARIF 2.1.0, § 3.20.21). */
  readonly errors: readonly string[];
}

/** SARIF 2.1.0, § 3.20. A process that did not start, or was killed, failed whatever else it claims. */
export function readInvocation(invocation: JsonObject, path: JsonPath, json: JsonReader): InvocationReport {
  const { executionSuccessful } = invocation;
  if (typeof executionSuccessful !== 'boolean') {
    throw json.errorAt([...path, 'executionSuccessful'], 'true or false is expected');
  }
  const start = json.optionalString(invocation['processStartFailureMessage'], [...path, 'processStartFailureMessage']);
  const signal = json.optionalString(invocation['exitSignalName'], [...path, 'exitSignalName']);
  const signalNumber = json.optionalCount(invocation['exitSignalNumber'], [...path, 'exitSignalNumber']) ?? 0;
  const failures = [
    ...(executionSuccessful ? [] : ['says that its run did not succeed']),
    ...(start ? [`did not start: ${excerpt(start, MESSAGE_LENGTH)}`] : []),
    ...(signal ? [`was ended by ${excerpt(signal, MESSAGE_LENGTH)}`] : []),
    ...(signalNumber > 0 ? [`was ended by signal ${signalNumber}`] : []),
  ];
  return { failure: failures[0] ?? null, errors: errorsOf(invocation, path, json) };
}

function errorsOf(invocation: JsonObject, path: JsonPath, json: JsonReader): readonly string[] {
  return ['toolExecutionNotifications', 'toolConfigurationNotifications'].flatMap((key) =>
    json.optionalArray(invocation[key], [...path, key]).flatMap((entry, index) => {
      const entryPath = [...path, key, index];
      const notification = json.object(entry, entryPath);
      const level = json.optionalOneOf(notification['level'], [...entryPath, 'level'], SARIF_LEVELS);
      if (level !== 'error') return [];
      const message = json.optionalObject(notification['message'], [...entryPath, 'message']);
      const text = json.optionalString(message['text'] ?? message['id'], [...entryPath, 'message', 'text']);
      return [excerpt(text ?? 'no message', MESSAGE_LENGTH)];
    }),
  );
}
