import { Button, Textarea } from '@primer/react';
import { useState, type SubmitEvent } from 'react';
import { api, ApiError, readBody, type Schema } from '../../api/client.js';
import { Field, TextField } from '../../ui/field.js';
import { ActionError } from '../../ui/states.js';
import { text } from '../../texts/en/setup.js';

type Name = keyof Schema<'SetupRequest'>;
type Values = Readonly<Record<Name, string>>;

const EMPTY: Values = {
  setupCode: '',
  appId: '',
  clientId: '',
  clientSecret: '',
  webhookSecret: '',
  privateKey: '',
};

/** The names of values that are not hidden while they are typed. */
const VISIBLE: ReadonlySet<Name> = new Set(['appId', 'clientId']);
const ONE_LINE = ['setupCode', 'appId', 'clientId', 'clientSecret', 'webhookSecret'] as const satisfies Name[];

const FORBIDDEN = 403;

/**
 * Sends the credentials of the app. The values exist in the fields and in the request only, and every answer clears them. Only a request
 * that did not reach the service keeps them.
 */
export function SetupForm({ onDone }: { readonly onDone: (result: Schema<'SetupResult'>) => void }) {
  const [values, setValues] = useState(EMPTY);
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [fileKey, setFileKey] = useState(0);
  const isComplete = Object.values(values).every((value) => value.trim() !== '');
  const isAboutCode = error instanceof ApiError && error.status === FORBIDDEN;
  const set = (name: Name, value: string): void => setValues((before) => ({ ...before, [name]: value }));

  const send = async (): Promise<void> => {
    setIsRunning(true);
    setError(null);
    try {
      onDone(await readBody(api.POST('/api/config/setup', { body: values })));
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
      if (failure instanceof ApiError && failure.status === 0) return;
      setValues(EMPTY);
      setFileKey((before) => before + 1);
    } finally {
      setIsRunning(false);
    }
  };

  return (
    <form
      autoComplete="off"
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        if (isComplete && !isRunning) void send();
      }}
    >
      {ONE_LINE.map((name) => (
        <TextField
          key={name}
          label={text.fields[name]}
          {...(name === 'setupCode' && {
            hint: text.setupCodeHint,
            error: isAboutCode ? error.message : undefined,
          })}
          block
          required
          type={VISIBLE.has(name) ? 'text' : 'password'}
          spellCheck={false}
          value={values[name]}
          onChange={(value) => set(name, value)}
        />
      ))}
      <Field label={text.fields.privateKey} hint={text.privateKeyHint}>
        {(attributes) => (
          <Textarea
            {...attributes}
            block
            required
            rows={6}
            autoComplete="off"
            spellCheck={false}
            value={values.privateKey}
            onChange={({ target }) => set('privateKey', target.value)}
          />
        )}
      </Field>
      <Field label={text.privateKeyFile} isOptional>
        {(attributes) => (
          <input
            {...attributes}
            key={fileKey}
            type="file"
            accept=".pem"
            onChange={({ target }) => void target.files?.[0]?.text().then((key) => set('privateKey', key))}
          />
        )}
      </Field>
      {error && (
        <>
          {!isAboutCode && <ActionError error={error} />}
          {values === EMPTY && <p>{text.cleared}</p>}
        </>
      )}
      <Button
        type="submit"
        variant="primary"
        disabled={!isComplete}
        loading={isRunning}
        loadingAnnouncement={text.submitting}
      >
        {text.submit}
      </Button>
    </form>
  );
}
