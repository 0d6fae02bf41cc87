import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/record-state';
import { routes } from '@/routing/routes';
import type { Announcement } from '../queries';
import type { useAnnouncement } from '../use-announcement';
import { AnnouncementSkeleton } from './announcement-skeleton';

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
