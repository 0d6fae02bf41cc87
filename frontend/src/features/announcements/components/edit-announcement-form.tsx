import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { PageForm } from '@/form/page-form';
import { useBase } from '@/form/use-base';
import { routes } from '@/routing/routes';
import { announcementValues } from '../announcement-values';
import type { Announcement } from '../queries';
import { useSaveAnnouncement } from '../use-save-announcement';
import { AnnouncementFields, useAnnouncementLabels } from './announcement-fields';

interface EditAnnouncementFormProps {
  announcement: Announcement;
  /** Reads the announcement anew. */
  onReload: () => void;
}

export function EditAnnouncementForm({ announcement, onReload }: EditAnnouncementFormProps) {
  const { t } = useTranslation('announcements');
  const timeZone = useTimeZone();
  const form = useForm({ defaultValues: announcementValues(announcement, timeZone) });
  const { failure, conflict, save, forget } = useSaveAnnouncement(form.setError);
  const labels = useAnnouncementLabels();
  const base = useBase(announcement, form, (row) => announcementValues(row, timeZone));

  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      conflict={conflict}
      onReload={() => {
        forget();
        onReload();
      }}
      onSubmit={(values) => save(base, values)}
      cancelTo={routes.viewAnnouncement({ id: announcement.id })}
      className="max-w-[640px]"
    >
      <AnnouncementFields form={form} />
      <p className="text-xs text-muted">{t('edit.again')}</p>
    </PageForm>
  );
}
