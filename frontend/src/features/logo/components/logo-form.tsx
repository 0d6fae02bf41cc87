import { useEffect, useState } from 'react';
import { useController, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { ConflictNote } from '@/form/conflict-note';
import { Form } from '@/form/form';
import { SubmitButton } from '@/form/submit-button';
import { UnsavedGuard } from '@/form/unsaved-guard';
import { logoAddress, parseLogo } from '@/logo/logo-value';
import { Button } from '@/ui/button';
import { logoValues, type LogoValues, MEASURES, readMeasures } from '../logo-values';
import type { LogoSetting } from '../queries';
import { useObjectUrl } from '../use-object-url';
import { useSaveLogo } from '../use-save-logo';
import { FailureNote } from './failure-note';
import { LogoFileField } from './logo-file-field';
import { LogoPreview } from './logo-preview';
import { MeasureField } from './measure-field';
import { SaveSteps } from './save-steps';

interface LogoFormProps {
  setting: LogoSetting;
  /** Reads the logo anew. */
  onReload: () => void;
}

const baseOf = ({ value, version }: LogoSetting) => ({ logo: parseLogo(value), version });

export function LogoForm({ setting, onReload }: LogoFormProps) {
  const { t } = useTranslation(['logo', 'common', 'form']);
  const name = useAuth().currentUser?.organization.name ?? '';
  // What is saved stands on the version the fields were filled from, not on a newer one read since.
  const [base, setBase] = useState(() => baseOf(setting));
  const form = useForm<LogoValues>({ defaultValues: logoValues(base.logo), mode: 'onChange' });
  const { control, reset } = form;
  const { isDirty, isSubmitting } = form.formState;
  const { field: file } = useController({ control, name: 'file' });
  const { progress, failure, conflict, save, forget, cancel } = useSaveLogo((saved) => {
    setBase(saved);
    reset(logoValues(saved.logo));
  });
  const chosen = useObjectUrl(file.value);
  const hasLogo = base.logo.url !== '';
  const picture = chosen ?? logoAddress(base.logo.url);
  const measures = readMeasures(useWatch({ control }) as LogoValues, base.logo);

  useEffect(() => {
    if (isDirty || setting.version <= base.version) return;
    const now = baseOf(setting);
    setBase(now);
    reset(logoValues(now.logo));
  }, [setting, base, isDirty, reset]);

  function discard() {
    forget();
    reset();
  }

  return (
    <div className="grid items-start gap-8 xl:grid-cols-[minmax(0,440px)_minmax(0,480px)]">
      <Form
        form={form}
        onSubmit={(values) =>
          save({ ...base.logo, ...readMeasures(values, base.logo) }, values.file, base.version)
        }
        className="flex min-w-0 flex-col gap-6"
      >
        <UnsavedGuard when={isDirty} />
        {conflict && (
          <ConflictNote
            conflict={conflict}
            onReload={() => {
              discard();
              onReload();
            }}
          />
        )}
        {failure && <FailureNote failure={failure} />}
        <LogoFileField
          label={t(hasLogo ? 'change' : 'add')}
          file={file.value}
          picture={picture}
          required={!hasLogo}
          disabled={isSubmitting}
          onChange={file.onChange}
        />
        {MEASURES.map((measure) => (
          <MeasureField key={measure} measure={measure} control={control} disabled={isSubmitting} />
        ))}
        {progress && <SaveSteps progress={progress} />}
        <div className="flex flex-wrap items-center gap-2">
          <SubmitButton
            busy={isSubmitting}
            disabled={!isDirty || (!hasLogo && file.value === null)}
            size={36}
            label={t('save', { ns: 'common' })}
            busyLabel={t('saving', { ns: 'form' })}
          />
          <Button size={36} disabled={!isDirty} onClick={isSubmitting ? cancel : discard}>
            {t('cancel', { ns: 'common' })}
          </Button>
        </div>
      </Form>
      <LogoPreview measures={measures} picture={picture} name={name} />
    </div>
  );
}
