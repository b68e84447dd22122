import { Checkbox } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../../api/client.js';
import { repositoryChoicesQuery } from '../../release-ui/repository-choices.query.js';
import { SearchField } from '../../ui/search-field.js';
import { ErrorState, Placeholder } from '../../ui/states.js';
import { text } from '../../texts/en/keys.js';
import classes from './keys.module.css';

export type ChosenRepository = Pick<Schema<'Repository'>, 'id' | 'fullName'>;

interface RepositoryChoicesProps {
  readonly chosen: readonly ChosenRepository[];
  readonly onChoose: (chosen: readonly ChosenRepository[]) => void;
}

/** The repositories of a key. If there are more than a page, a search narrows them down; those that are chosen stay in the list. */
export function RepositoryChoices({ chosen, onChoose }: RepositoryChoicesProps) {
  const [search, setSearch] = useState('');
  const { data, error, refetch } = useQuery(repositoryChoicesQuery(search));
  const found = data?.groups.flatMap(({ repos }) => repos) ?? [];
  const isChosen = ({ id }: ChosenRepository): boolean => chosen.some((one) => one.id === id);
  const offered = [...chosen.filter(({ id }) => !found.some((one) => one.id === id)), ...found];
  return (
    <fieldset className={classes['choices']}>
      <legend>{text.service.repositories}</legend>
      <p className="quiet">
        {chosen.length === 0 ? text.service.everyRepositoryHint : text.service.chosen(chosen.length)}
      </p>
      {error && <ErrorState title={text.service.repositoriesFailed} error={error} onRetry={() => void refetch()} />}
      {(search !== '' || (data?.pagination.pages ?? 1) > 1) && (
        <SearchField label={text.service.searchRepository} value={search} onSearch={setSearch} />
      )}
      <div className={classes['repositories']}>
        {offered.map((repository) => (
          <label key={repository.id}>
            <Checkbox
              checked={isChosen(repository)}
              onChange={({ target }) =>
                onChoose(
                  target.checked
                    ? [...chosen, { id: repository.id, fullName: repository.fullName }]
                    : chosen.filter(({ id }) => id !== repository.id),
                )
              }
            />
            {repository.fullName}
          </label>
        ))}
        {data === undefined && error === null && <Placeholder rows={3} />}
        {data && offered.length === 0 && <p className="quiet">{text.service.noRepository}</p>}
      </div>
    </fieldset>
  );
}
