import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { memberOfField } from '@/analytics/delivery-filters';
import { errorText, normalizeError } from '@/data/errors';
import { useEventId } from '@/form/use-event-id';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { toast } from '@/ui/toast';
import { settingInput } from '../definition';
import { createReportMutation } from '../queries';
import type { Report } from '../use-report';

const NAME_LENGTH = 100;

interface SaveReportDialogProps {
  report: Report;
  onClose: () => void;
}

/** Keeps the report as it is now among the report settings. */
export function SaveReportDialog({ report: page, onClose }: SaveReportDialogProps) {
  const { report, filters, range, open } = page;
  const { t } = useTranslation(['reports', 'common']);
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<string>();
  const [{ fetching }, create] = useMutation(createReportMutation);
  const creationId = useEventId();

  async function save() {
    const trimmed = name.trim();
    if (fetching) return;
    if (!trimmed) {
      setFailure(t('nameNeeded'));
      return;
    }
    const reportSetting = {
      name: trimmed,
      format: 'csv' as const,
      isActive: true,
      ...settingInput(report, filters, range, memberOfField),
    };
    const { data, error } = await create({ input: { reportSetting, creationId: creationId(reportSetting) } });
    if (!data) {
      setFailure(errorText(normalizeError(error)));
      return;
    }
    toast.success(t('saved', { name: trimmed }));
    onClose();
    open(data.createReportSetting.id);
  }

  return (
    <Dialog open onOpenChange={() => !fetching && onClose()}>
      <DialogContent
        title={t('saveNew')}
        description={t('saveText')}
        footer={
          <>
            <Button onClick={onClose}>{t('common:cancel')}</Button>
            <Button type="submit" form="save-report" variant="primary" aria-disabled={fetching}>
              {t(fetching ? 'saving' : 'common:save')}
            </Button>
          </>
        }
      >
        <form
          id="save-report"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <Field label={t('name')} error={failure} required>
            <Input
              value={name}
              maxLength={NAME_LENGTH}
              onChange={({ target }) => {
                setName(target.value);
                setFailure(undefined);
              }}
            />
          </Field>
        </form>
      </DialogContent>
    </Dialog>
  );
}
