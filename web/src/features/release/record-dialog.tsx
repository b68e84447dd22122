import { Textarea } from '@primer/react';
import { useState } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';
import { AdminButton } from '../../release-ui/admin-button.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { Field, TextField } from '../../ui/field.js';
import { Sha } from '../../ui/links.js';
import { Facts } from '../../ui/screen.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/release.js';
import { useRelease } from './release.query.js';

const partText = text.actions.record;

/** Records a deployment that Shipgate did not see. Nothing for a release that is shipped or cancelled. */
export function RecordButton() {
  const { candidateSha, deployedAt, cancelledAt } = useRelease().release;
  const [isOpen, setIsOpen] = useState(false);
  if (deployedAt !== null || cancelledAt !== null) return null;
  return (
    <>
      <AdminButton otherwise={candidateSha === null ? partText.noCandidate : null} onClick={() => setIsOpen(true)}>
        {partText.open}
      </AdminButton>
      {isOpen && candidateSha !== null && <RecordDialog sha={candidateSha} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function RecordDialog({ sha, onClose }: { readonly sha: string; readonly onClose: () => void }) {
  const { release, policy } = useRelease();
  const { milestoneId, version } = release;
  const target = policy.rules?.deployment.target;
  const [time, setTime] = useState('');
  const [environment, setEnvironment] = useState('');
  const [note, setNote] = useState('');
  const action = useAction({
    run: (body: Schema<'CreateDeploymentRecord'>) => readBody(api.POST('/api/history', { body })),
    changes: [['release', milestoneId], ['releases'], ['history']],
    done: () => partText.done(version),
    onDone: onClose,
  });
  const record = (): void =>
    action.start({
      milestoneId,
      ...(time !== '' && { deployedAt: new Date(time).toISOString() }),
      ...(environment.trim() !== '' && { environment: environment.trim() }),
      ...(note.trim() !== '' && { note: note.trim() }),
    });
  return (
    <ActionDialog
      title={partText.title}
      confirm={partText.confirm}
      action={action}
      onConfirm={record}
      onClose={onClose}
    >
      <p>{partText.effect(version)}</p>
      <Facts entries={[[partText.commit, <Sha key="commit" sha={sha} href={release.candidateUrl} />]]} />
      <TextField
        label={partText.time}
        hint={partText.timeHint}
        isOptional
        type="datetime-local"
        value={time}
        onChange={setTime}
      />
      <TextField
        label={partText.environment}
        {...(target !== undefined && { hint: partText.environmentHint(target) })}
        isOptional
        value={environment}
        onChange={setEnvironment}
      />
      <Field label={partText.note} hint={partText.noteHint} isOptional>
        {(attributes) => (
          <Textarea {...attributes} block rows={3} value={note} onChange={({ target: { value } }) => setNote(value)} />
        )}
      </Field>
    </ActionDialog>
  );
}
