import { CircleAlert, Info, type LucideIcon, TriangleAlert } from 'lucide-react';
import { Fragment, type RefCallback, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { graphql, type ResultOf } from '@/data/graphql';
import { cn } from '@/ui/cn';
import { DateTime } from '@/ui/date-time';
import { Tag } from '@/ui/tag';

/** Announcements for the signed-in user, including dismissed ones. */
export const myAnnouncementsQuery = graphql(`
  query MyAnnouncements {
    myAnnouncements {
      id
      title
      message
      severity
      dismissible
      dismissed
      seen
      startsAt
      endsAt
    }
  }
`);

const markAnnouncementsMutation = graphql(`
  mutation MarkAnnouncements($input: MarkAnnouncementsInput!) {
    markAnnouncements(input: $input) {
      id
      seen
      dismissed
    }
  }
`);

export type MyAnnouncement = ResultOf<typeof myAnnouncementsQuery>['myAnnouncements'][number];
export type AnnouncementSeverity = MyAnnouncement['severity'];

/** Severities, the lowest first. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const satisfies readonly AnnouncementSeverity[];

export const severityLooks: Record<AnnouncementSeverity, { icon: LucideIcon; classes: string }> = {
  info: { icon: Info, classes: 'text-info' },
  warning: { icon: TriangleAlert, classes: 'text-warn' },
  critical: { icon: CircleAlert, classes: 'text-bad' },
};

/** Marks announcements as seen. Failures are ignored: the announcements stay unread and are shown again. */
export function useMarkSeen() {
  const client = useClient();
  return useCallback(
    async (ids: string[]) => {
      if (ids.length === 0) return;
      await client
        .mutation(markAnnouncementsMutation, { input: { ids, dismiss: false } })
        .toPromise();
    },
    [client],
  );
}

/** Dismisses the shown announcements, so that they stay hidden on the next visit. */
export function useDismissNews() {
  const client = useClient();
  return useCallback(
    async (news: readonly string[]) => {
      const { data } = await client
        .query(myAnnouncementsQuery, {}, { requestPolicy: 'network-only' })
        .toPromise();
      const ids = (data?.myAnnouncements ?? [])
        .filter(({ message, dismissed }) => !dismissed && news.includes(message))
        .map(({ id }) => id);
      if (ids.length === 0) return;
      await client
        .mutation(markAnnouncementsMutation, { input: { ids, dismiss: true } })
        .toPromise();
    },
    [client],
  );
}

interface AnnouncementCardProps {
  announcement: Pick<MyAnnouncement, 'title' | 'message' | 'severity' | 'startsAt' | 'endsAt'>;
  isNew?: boolean;
}

/** An announcement as its readers see it. */
export function AnnouncementCard({ announcement, isNew = false }: AnnouncementCardProps) {
  const { t } = useTranslation('shell');
  const { title, message, severity, startsAt, endsAt } = announcement;
  const at = (instant: string) => (
    <DateTime instant={instant} />
  );
  return (
    <article className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <SeverityLabel severity={severity} className="text-xs" />
        {isNew && <Tag tone="accent">{t('announcements.new')}</Tag>}
      </div>
      <h3 dir="auto" className="text-sm font-semibold wrap-anywhere">{title}</h3>
      <p dir="auto" className="text-sm wrap-anywhere">{message}</p>
      <p className="text-xs text-muted">
        {t('announcements.since')} {at(startsAt)}
        {endsAt && (
          <>
            {' '}
            {t('announcements.until')} {at(endsAt)}
          </>
        )}
      </p>
    </article>
  );
}

interface SeverityLabelProps {
  severity: AnnouncementSeverity;
  className?: string;
}

/** Shows the severity by icon and word, so that nobody depends on the color. */
export function SeverityLabel({ severity, className }: SeverityLabelProps) {
  const { t } = useTranslation('common');
  const { icon: Icon, classes } = severityLooks[severity];
  return (
    <span className={cn('inline-flex items-center gap-1.5 font-medium whitespace-nowrap', classes, className)}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {t(`severity.${severity}`)}
    </span>
  );
}

const SPEED_PX_PER_S = 100;
const LOOPS = 3;

/** Group class of the area that pauses the text on hover or keyboard focus. */
export const NEWS_HOLD = 'group/news';

interface NewsStripProps {
  messages: readonly string[];
  paused?: boolean;
  /** Called after the last loop. With reduced motion it is never called. */
  onEnd: () => void;
}

/** Messages scrolling at 100 pixels per second, three times. With reduced motion they wrap instead. */
export function NewsStrip({ messages, paused = false, onEnd }: NewsStripProps) {
  const [width, setWidth] = useState(0);
  const measure: RefCallback<HTMLElement> = useCallback((copy) => {
    if (copy) setWidth(copy.offsetWidth);
  }, []);
  const seconds = width / SPEED_PX_PER_S;
  const copyClasses = cn(
    'min-w-full shrink-0 pe-24 whitespace-nowrap motion-reduce:min-w-0 motion-reduce:shrink motion-reduce:animate-none motion-reduce:pe-0 motion-reduce:whitespace-normal motion-reduce:wrap-anywhere',
    seconds > 0 &&
      'animate-news group-hover/news:[animation-play-state:paused] group-has-focus-visible/news:[animation-play-state:paused]',
    paused && '[animation-play-state:paused]',
  );
  // Each message is isolated. Otherwise two messages in a right-to-left script would form one run with the comma between
  // them, and the second one would be shown first.
  const line = messages.map((message, index) => (
    <Fragment key={`${index} ${message}`}>
      {index > 0 && ', '}
      <bdi>{message}</bdi>
    </Fragment>
  ));
  return (
    <div
      className="flex min-w-0 flex-1 overflow-hidden"
      style={{ '--news-loop': `${seconds}s`, '--news-loops': LOOPS }}
    >
      <p key={messages.join('\n')} ref={measure} className={copyClasses} onAnimationEnd={onEnd}>
        {line}
      </p>
      <p aria-hidden className={cn(copyClasses, 'motion-reduce:hidden')}>
        {line}
      </p>
    </div>
  );
}
