import { useRef, useState } from 'react';
import { useForm, type UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { PageForm } from '@/form/page-form';
import { showFieldErrors, useEventId } from '@/form/use-save';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { toast } from '@/ui/toast';
import {
  ANNOUNCEMENT_FIELDS,
  AnnouncementFields,
  announcementInput,
  type AnnouncementValues,
  newAnnouncement,
  useAnnouncementLabels,
} from './announcement-form';
import { createAnnouncementMutation } from './queries';

/** Makes the announcement and goes on to its page. */
function useNewAnnouncement(setError: UseFormSetError<AnnouncementValues>) {
  const { t } = useTranslation('announcements');
  const navigate = useNavigate();
  const timeZone = useTimeZone();
  const [, execute] = useMutation(createAnnouncementMutation);
  const creationId = useEventId();
  const [failure, setFailure] = useState<AppError>();
  // Guards against a second submit.
  const isMade = useRef(false);

  async function save(values: AnnouncementValues) {
    if (isMade.current) return;
    setFailure(undefined);
    const announcement = announcementInput(values, timeZone);
    const { data, error } = await execute({
      input: { announcement, creationId: creationId(announcement) },
    });
    if (data) {
      isMade.current = true;
      const { id, title } = data.createAnnouncement;
      toast.success(t('new.done', { title }));
      await navigate(routes.viewAnnouncement({ id }));
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, ANNOUNCEMENT_FIELDS, setError);
  }

  return { failure, save };
}

export default function NewAnnouncementPage() {
  return (
    <PageFrame>
      <NewAnnouncementForm />
    </PageFrame>
  );
}

function NewAnnouncementForm() {
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
