import { excerpt } from './bounded-list.js';
import type { JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import { SARIF_LEVELS } from './sarif-severity.js';

const MESSAGE_LENGTH = 300;

/** The result of one process of a run. */
interface InvocationReport {
  /** The failure as the end of a sentence; null if there is none. */
  readonly failure: string | null;
  /** The errors during the run, because of which findings may be missing (SARIF 2.1.0, § 3.20.21). */
  readonly errors: readonly string[];
}

/**
 * Reads an invocation (SARIF 2.1.0, § 3.20). A process that did not start or was killed failed, regardless of its stated result.
 */
export function readInvocation(invocation: JsonMembers, path: JsonPath, json: JsonDocument): InvocationReport {
  const { executionSuccessful } = invocation;
  if (typeof executionSuccessful !== 'boolean') {
    throw json.errorAt([...path, 'executionSuccessful'], 'true or false is expected');
  }
  const start = json.optionalString(invocation['processStartFailureMessage'], [...path, 'processStartFailureMessage']);
  const signal = json.optionalString(invocation['exitSignalName'], [...path, 'exitSignalName']);
  const signalNumber = json.optionalCount(invocation['exitSignalNumber'], [...path, 'exitSignalNumber']) ?? 0;
  const failures = [
    ...(executionSuccessful ? [] : ['reports that its run did not succeed']),
    ...(start ? [`did not start: ${excerpt(start, MESSAGE_LENGTH)}`] : []),
    ...(signal ? [`was ended by ${excerpt(signal, MESSAGE_LENGTH)}`] : []),
    ...(signalNumber > 0 ? [`was ended by signal ${signalNumber}`] : []),
  ];
  return { failure: failures[0] ?? null, errors: readErrors(invocation, path, json) };
}

function readErrors(invocation: JsonMembers, path: JsonPath, json: JsonDocument): readonly string[] {
  return ['toolExecutionNotifications', 'toolConfigurationNotifications'].flatMap((key) =>
    json.optionalArray(invocation[key], [...path, key]).flatMap((entry, index) => {
      const entryPath = [...path, key, index];
      const notification = json.object(entry, entryPath);
      const level = json.readOptionalChoice(notification['level'], [...entryPath, 'level'], SARIF_LEVELS);
      if (level !== 'error') return [];
      const message = json.optionalObject(notification['message'], [...entryPath, 'message']);
      const text = json.optionalString(message['text'] ?? message['id'], [...entryPath, 'message', 'text']);
      return [excerpt(text ?? 'no message', MESSAGE_LENGTH)];
    }),
  );
}
