import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useRoleName } from '@/auth/use-auth';
import { errorText, normalizeError } from '@/data/errors';
import { RecordState } from '@/data/query-state';
import { useClock } from '@/data/use-clock';
import { useRecord } from '@/data/use-record';
import { routes } from '@/routing/routes';
import { useRecordName } from '@/shell/current-record';
import { ConfirmDialog } from '@/ui/dialog';
import { FactsSkeleton, Skeleton } from '@/ui/skeleton';
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

/** Same rule as the server's `state` filter: the start is inclusive, the end exclusive. */
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
  const state = announcementState(announcement, useClock(announcement));
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      <h2 dir="auto" className="text-xl font-semibold wrap-anywhere">{title}</h2>
      <StatusChip kind="announcement" status={state} size={24} />
      {children}
    </div>
  );
}

interface AnnouncementPageStateProps {
  result: ReturnType<typeof useAnnouncement>;
  children: (announcement: Announcement) => ReactNode;
}

/** Loading, error and not-found states of a page about one announcement. */
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

/** Skeleton of the page, so that the layout does not shift when the announcement loads. */
function AnnouncementSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center gap-3">
        <Skeleton className="h-6 w-64" />
        <Skeleton className="h-6 w-20 rounded-full" />
      </div>
      <FactsSkeleton count={8} className="grid grid-cols-2 lg:grid-cols-4" />
    </div>
  );
}

interface AudienceProps {
  announcement: Pick<AnnouncementRow, 'audienceRoles' | 'audienceUsers'>;
}

/** With more names than this, only their number is shown. */
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

// The answer contains no type name, so name the types that have to be refetched.
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
