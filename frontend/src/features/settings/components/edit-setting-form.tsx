import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { ConflictNote } from '@/form/conflict-note';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { SubmitButton } from '@/form/submit-button';
import { UnsavedGuard } from '@/form/unsaved-guard';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import type { Setting } from '../queries';
import { useSaveSetting } from '../use-save-setting';
import { ValueField } from './value-field';

interface EditSettingFormProps {
  setting: Setting;
  /** Where to go afterwards. */
  back: string;
  /** Reads the setting anew. */
  onReload: () => void;
}

const valuesOf = ({ value, isSecret }: Setting) => ({ value: isSecret ? '' : value });

export function EditSettingForm({ setting, back, onReload }: EditSettingFormProps) {
  const { t } = useTranslation(['settings', 'common', 'form']);
  const form = useForm({ defaultValues: valuesOf(setting) });
  const { reset } = form;
  const { isDirty, isSubmitting } = form.formState;
  const { failure, conflict, save, forget } = useSaveSetting(setting, back, form.setError);
  // What is saved stands on the version the field was filled from, not on a newer one read since.
  const [base, setBase] = useState(setting);

  useEffect(() => {
    if (isDirty || setting.version <= base.version) return;
    setBase(setting);
    reset(valuesOf(setting));
  }, [setting, base, isDirty, reset]);

  return (
    <Form form={form} onSubmit={(values) => save(base.version, values)}>
      <UnsavedGuard when={isDirty && !isSubmitting} />
      {conflict && (
        <ConflictNote
          conflict={conflict}
          onReload={() => {
            forget();
            reset();
            onReload();
          }}
        />
      )}
      <FormSummary failure={failure} />
      <Panel className="flex flex-col gap-4 p-4">
        <ValueField setting={base} form={form} />
        <div className="flex flex-wrap items-center gap-2 border-t border-line pt-4">
          <SubmitButton
            busy={isSubmitting}
            disabled={!isDirty}
            size={36}
            label={t('save', { ns: 'common' })}
            busyLabel={t('saving', { ns: 'form' })}
          />
          <Button asChild size={36}>
            <Link to={back}>{t('cancel', { ns: 'common' })}</Link>
          </Button>
          {isDirty && !isSubmitting && (
            <span className="ml-auto flex items-center gap-2 text-xs text-muted">
              <span aria-hidden className="size-1.5 rounded-full bg-chart-warn" />
              {t('edit.changed')}
            </span>
          )}
        </div>
      </Panel>
    </Form>
  );
}
