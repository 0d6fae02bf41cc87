import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { PageForm } from '@/form/page-form';
import { routes } from '@/routing/routes';
import { newAnnouncement } from '../announcement-values';
import { useNewAnnouncement } from '../use-new-announcement';
import { AnnouncementFields, useAnnouncementLabels } from './announcement-fields';

export function NewAnnouncementForm() {
  const { t } = useTranslation('announcements');
  const timeZone = useTimeZone();
  const form = useForm({ defaultValues: newAnnouncement(timeZone) });
  const { failure, save } = useNewAnnouncement(form.setError);
  const labels = useAnnouncementLabels();
  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      create={{ label: t('new.create'), busyLabel: t('new.creating') }}
      onSubmit={save}
      cancelTo={routes.announcements()}
      className="max-w-[640px]"
    >
      <AnnouncementFields form={form} />
    </PageForm>
  );
}
