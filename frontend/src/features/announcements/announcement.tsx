import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useRoleName } from '@/auth/use-auth';
import { errorText, normalizeError } from '@/data/errors';
import { RecordState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { useRecordName } from '@/navigation/current-record';
import { routes } from '@/routing/routes';
import { ConfirmDialog } from '@/ui/dialog';
import { Panel } from '@/ui/panel';
import { Skeleton } from '@/ui/skeleton';
import { type AnnouncementState, StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import {
  type Announcement,
  announcementQuery,
  type AnnouncementRow,
  deleteAnnouncementMutation,
} from './queries';

export const STATES = ['active', 'scheduled', 'ended', 'off'] as const satisfies readonly AnnouncementState[];

type Window = Pick<Announcement, 'isActive' | 'startsAt' | 'endsAt'>;

/** What the filter `state` of the server says too: the start is part of the window, the end is not. */
export function announcementState(
  { isActive, startsAt, endsAt }: Window,
  now: number = Date.now(),
): AnnouncementState {
  if (!isActive) return 'off';
  if (endsAt && Date.parse(endsAt) <= now) return 'ended';
  return Date.parse(startsAt) > now ? 'scheduled' : 'active';
}

export function useAnnouncement(id: string) {
  const result = useRecord({
    document: announcementQuery,
    variables: { id },
    typenames: ['Announcement'],
    read: ({ announcement }) => announcement,
  });
  useRecordName(result.value?.title);
  return result;
}

interface AnnouncementHeaderProps {
  announcement: Announcement;
  title: ReactNode;
  children?: ReactNode;
}

export function AnnouncementHeader({ announcement, title, children }: AnnouncementHeaderProps) {
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      <h2 dir="auto" className="text-xl font-semibold wrap-anywhere">{title}</h2>
      <StatusChip kind="announcement" status={announcementState(announcement)} size={24} />
      {children}
    </div>
  );
}

interface AnnouncementPageStateProps {
  result: ReturnType<typeof useAnnouncement>;
  children: (announcement: Announcement) => ReactNode;
}

/** The states of a page about one announcement. */
export function AnnouncementPageState({ result, children }: AnnouncementPageStateProps) {
  const { t } = useTranslation('announcements');
  return (
    <RecordState
      result={result}
      loading={<AnnouncementSkeleton />}
      notFound={{
        title: t('view.notFound.title'),
        text: t('view.notFound.text'),
        action: t('view.notFound.action'),
        to: routes.announcements(),
      }}
    >
      {children}
    </RecordState>
  );
}

/** The outline of the page, so that nothing jumps when the announcement arrives. */
function AnnouncementSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center gap-3">
        <Skeleton className="h-6 w-64" />
        <Skeleton className="h-6 w-20 rounded-full" />
      </div>
      <Panel className="grid grid-cols-2 gap-x-6 gap-y-5 p-4 lg:grid-cols-4">
        {Array.from({ length: 8 }, (_, index) => (
          <div key={index} className="flex flex-col gap-2">
            <Skeleton className="h-2.5 w-16 rounded-full" />
            <Skeleton className="h-3 w-28 rounded-full" />
          </div>
        ))}
      </Panel>
    </div>
  );
}

interface AudienceProps {
  announcement: Pick<AnnouncementRow, 'audienceRoles' | 'audienceUsers'>;
}

/** Beyond so many, names only say how many they are. */
const NAMES = 3;

/** Audience in words: everyone, or the roles and then the users. */
export function Audience({ announcement: { audienceRoles, audienceUsers } }: AudienceProps) {
  const { t } = useTranslation('announcements');
  const roleName = useRoleName();
  if (audienceRoles.length + audienceUsers.length === 0) return t('audience.everybody');
  const people =
    audienceUsers.length > NAMES
      ? [t('audience.people', { count: audienceUsers.length })]
      : audienceUsers;
  return [...audienceRoles.map(roleName), ...people].join(', ');
}

interface DeleteAnnouncementDialogProps {
  announcement: Pick<AnnouncementRow, 'id' | 'title' | 'version'>;
  onDeleted?: () => void;
  onClose: () => void;
}

// Its answer names no type, and the lists have to be read anew.
const context = { additionalTypenames: ['Announcement', 'MyAnnouncement'] };

export function DeleteAnnouncementDialog(props: DeleteAnnouncementDialogProps) {
  const { announcement, onDeleted, onClose } = props;
  const { id, title, version } = announcement;
  const { t } = useTranslation('announcements');
  const [, execute] = useMutation(deleteAnnouncementMutation);

  async function remove(): Promise<string | undefined> {
    const { error } = await execute({ input: { id, version } }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(t('delete.done', { title }));
    onDeleted?.();
    return undefined;
  }

  return (
    <ConfirmDialog
      danger
      title={t('delete.question', { title })}
      text={t('delete.text')}
      confirm={t('delete.verb')}
      busy={t('delete.busy')}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
