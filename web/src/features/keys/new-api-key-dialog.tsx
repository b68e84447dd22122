import { Checkbox } from '@primer/react';
import { useState } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';
import { serverNow } from '../../api/server-clock.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { TextField } from '../../ui/field.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/keys.js';
import type { NewSecret } from './key-parts.js';
import classes from './keys.module.css';
import { RepositoryChoices, type ChosenRepository } from './repository-choices.js';

type Scope = Schema<'ApiKey'>['scopes'][number];

const SCOPES = ['evidence:write', 'gate:read', 'deployment:write'] as const satisfies Scope[];

interface NewKeyDialogProps {
  readonly onCreated: (secret: NewSecret) => void;
  readonly onClose: () => void;
}

/** Returns the day in a year from now, in UTC. A key must not last for ever by accident. */
function findDefaultEnd(): string {
  const end = new Date(serverNow());
  end.setUTCFullYear(end.getUTCFullYear() + 1);
  return end.toISOString().slice(0, 10);
}

/** Creates an API key: its name, what it may do, its repositories and its end. */
export function NewApiKeyDialog({ onCreated, onClose }: NewKeyDialogProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['evidence:write']);
  const [repositories, setRepositories] = useState<readonly ChosenRepository[]>([]);
  const [expiresOn, setExpiresOn] = useState(findDefaultEnd);
  const action = useAction({
    run: async () => {
      const repos = repositories.map(({ id }) => id);
      const body = {
        name: name.trim(),
        scopes: [...scopes],
        ...(repos.length > 0 && { repos }),
        ...(expiresOn !== '' && { expiresAt: `${expiresOn}T23:59:59Z` }),
      };
      // The result of an action is cached, so the secret is not part of it.
      const created = await readBody(api.POST('/api/settings/api-keys', { body }));
      onCreated({ name: created.name, secret: created.key });
      return created.name;
    },
    changes: [['keys', 'service']],
    done: text.createDone,
    onDone: onClose,
  });
  return (
    <ActionDialog
      title={text.create}
      confirm={text.createConfirm}
      canConfirm={name.trim() !== '' && scopes.length > 0}
      action={action}
      onConfirm={action.start}
      onClose={onClose}
    >
      <TextField label={text.name} hint={text.service.nameHint} block required value={name} onChange={setName} />
      <fieldset className={classes['choices']}>
        <legend>{text.service.scopes}</legend>
        {SCOPES.map((scope) => (
          <label key={scope}>
            <Checkbox
              checked={scopes.includes(scope)}
              onChange={({ target }) =>
                setScopes(SCOPES.filter((other) => (other === scope ? target.checked : scopes.includes(other))))
              }
            />
            {text.service.scopeNames[scope]}
          </label>
        ))}
      </fieldset>
      <RepositoryChoices chosen={repositories} onChoose={setRepositories} />
      <TextField
        label={text.service.expiresOn}
        hint={text.service.expiresHint}
        isOptional
        type="date"
        value={expiresOn}
        onChange={setExpiresOn}
      />
    </ActionDialog>
  );
}
