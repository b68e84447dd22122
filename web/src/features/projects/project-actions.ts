import { useQueryClient } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../../api/client.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/projects.js';
import { findChanges, type ProjectDetails } from './project-details.js';

type Project = Schema<'Project'>;

const PROJECTS = ['projects'] as const;

const put = (id: string, repoId: string, milestoneId: string | null) =>
  readBody(api.PUT('/api/projects/{id}/repos/{repoId}', { params: { path: { id, repoId } }, body: { milestoneId } }));

const remove = (id: string, repoId: string) =>
  readBody(api.DELETE('/api/projects/{id}/repos/{repoId}', { params: { path: { id, repoId } } }));

/** Creates a project. */
export const useCreateProject = (onDone: (project: Project) => void) =>
  useAction({
    run: (details: ProjectDetails) => readBody(api.POST('/api/projects', { body: details })),
    changes: [PROJECTS],
    done: ({ name }) => text.created(name),
    onDone,
  });

/** Changes the details of the project as the user opened it. Sends only what the user changed, because others may change the rest. */
export const useChangeProject = (project: Project, onDone: () => void) => {
  const patch = (details: Partial<ProjectDetails>) =>
    readBody(api.PATCH('/api/projects/{id}', { params: { path: { id: project.id } }, body: details }));
  return useAction({
    run: (details: ProjectDetails) => patch(findChanges(project, details)),
    changes: [PROJECTS],
    done: ({ name }) => text.changed(name),
    undo: (_, details) => () => patch(findChanges(details, project)),
    onDone,
  });
};

/** Deletes a project. There is no undo. */
export function useDeleteProject({ id, name }: Project, onDone: () => void) {
  const client = useQueryClient();
  return useAction({
    run: () => readBody(api.DELETE('/api/projects/{id}', { params: { path: { id } } })),
    changes: [],
    done: () => text.deleted(name),
    onDone: () => {
      // The list must not show the project until it is loaded again.
      client.removeQueries({ queryKey: ['projects', 'list'] });
      onDone();
    },
  });
}

interface Link {
  readonly repoId: string;
  readonly repo: string;
  readonly milestoneId: string | null;
}

/** Adds a repository to a project, or chooses the release that the project waits for. The former state can be restored. */
export const useLinkRepository = (project: Project, onDone: () => void) =>
  useAction({
    run: ({ repoId, milestoneId }: Link) => put(project.id, repoId, milestoneId),
    changes: [PROJECTS],
    done: (_, { repo }) => text.linked(repo),
    undo: (_, { repoId }) => {
      const former = project.repos.find((link) => link.repoId === repoId);
      return () => (former ? put(project.id, repoId, former.release?.milestoneId ?? null) : remove(project.id, repoId));
    },
    onDone,
  });

/** Takes a repository out of a project. It can be put back with its release. */
export const useUnlinkRepository = (project: Project) =>
  useAction({
    run: ({ repoId }: Schema<'ProjectRepository'>) => remove(project.id, repoId),
    changes: [PROJECTS],
    done: (_, { repo }) => text.unlinked(repo),
    undo:
      (_, { repoId, release }) =>
      () =>
        put(project.id, repoId, release?.milestoneId ?? null),
  });
