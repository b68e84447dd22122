import { PlusIcon } from '@primer/octicons-react';
import { Button } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schema } from '../../api/client.js';
import { OutcomeLabel } from '../../release-ui/outcome-label.js';
import { formatDay } from '../../ui/format-time.js';
import { LiveTable } from '../../ui/live-table.js';
import { ButtonLink } from '../../ui/links.js';
import { Pager } from '../../ui/pager.js';
import { QueryRegion } from '../../ui/query-region.js';
import { ScreenHead, Tools } from '../../ui/screen.js';
import { SearchField } from '../../ui/search-field.js';
import { EmptyState } from '../../ui/states.js';
import { Row } from '../../ui/table.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/projects.js';
import { useCreateProject } from './project-actions.js';
import { ProjectCounts } from './project-counts.js';
import { ProjectDialog } from './project-dialog.js';
import { projectListQuery } from './project.query.js';

const ROUTE = '/session/w/$org/projects';

/** The projects of the workspace: the outcome of each, and its releases in numbers. */
export function ProjectListScreen() {
  const search = useSearch({ from: ROUTE });
  const { org } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const [isCreating, setIsCreating] = useState(false);
  const query = useQuery(projectListQuery(search));
  const { pagination } = query.data ?? {};
  const target = { to: '/w/$org/projects', params: { org } } as const;
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title}>
        <Button variant="primary" leadingVisual={PlusIcon} onClick={() => setIsCreating(true)}>
          {text.create}
        </Button>
      </ScreenHead>
      <Tools>
        <SearchField
          label={text.search}
          value={search.q ?? ''}
          onSearch={(q) =>
            void navigate({ ...target, search: { ...search, q: q || undefined, page: undefined }, replace: true })
          }
        />
        <output>{pagination && text.count(pagination.total)}</output>
      </Tools>
      <QueryRegion query={query} failed={text.failed}>
        {({ projects, pagination: pages }, isStale) =>
          projects.length > 0 ? (
            <>
              <LiveTable
                caption={text.caption}
                columns={Object.values(text.columns)}
                rows={projects}
                toId={({ id }) => id}
                filters={search}
                isStale={isStale}
                changed={text.changedRows}
              >
                {(project, isGone) => <ProjectRow key={project.id} project={project} isGone={isGone} />}
              </LiveTable>
              <Pager pagination={pages} />
            </>
          ) : search.q !== undefined ? (
            <EmptyState title={text.noMatch}>
              <ButtonLink {...target} search={{}}>
                {common.clearFilters}
              </ButtonLink>
            </EmptyState>
          ) : (
            <EmptyState title={text.none}>
              <p>{text.noneHint}</p>
            </EmptyState>
          )
        }
      </QueryRegion>
      {isCreating && <CreateProjectDialog org={org} onClose={() => setIsCreating(false)} />}
    </>
  );
}

function CreateProjectDialog({ org, onClose }: { readonly org: string; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const action = useCreateProject(({ id }) => void navigate({ to: '/w/$org/projects/$id', params: { org, id } }));
  return <ProjectDialog title={text.create} confirm={text.create} action={action} onClose={onClose} />;
}

interface ProjectRowProps {
  readonly project: Schema<'Project'>;
  /** No longer part of the list. */
  readonly isGone: boolean;
}

function ProjectRow({ project, isGone }: ProjectRowProps) {
  const { org } = useParams({ from: ROUTE });
  const { id, name, description, targetDate, outcome, counts, repos } = project;
  return (
    <Row inert={isGone}>
      <th scope="row">
        <Link to="/w/$org/projects/$id" params={{ org, id }}>
          {name}
        </Link>
        {description !== null && <div className="quiet">{description}</div>}
      </th>
      <td>{targetDate === null ? <span className="quiet">{text.noDate}</span> : formatDay(targetDate)}</td>
      <td>
        <OutcomeLabel outcome={outcome} />
      </td>
      <td>
        <ProjectCounts counts={counts} />
      </td>
      <td>{repos.map(({ repo }) => repo).join(', ')}</td>
    </Row>
  );
}
