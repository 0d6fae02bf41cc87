import {
  CircleCheck,
  CircleDashed,
  ClipboardList,
  LoaderCircle,
  Package,
  Upload,
} from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { type Control, useController, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { RecordState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { Form, SubmitButton } from '@/form/form';
import { ConflictNote, UnsavedGuard } from '@/form/page-form';
import { ruleMessage } from '@/form/rule-message';
import { useRefill } from '@/form/use-save';
import { LogoHead } from '@/domain/logo';
import {
  LOGO_BOUNDS,
  LOGO_SETTING_ID,
  logoAddress,
  type LogoInformation,
  type LogoMeasure,
  parseLogo,
} from '@/domain/logo-value';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { Skeleton } from '@/ui/skeleton';
import { LogoFileField } from './logo-file-field';
import { type LogoSetting, logoSettingQuery } from './queries';
import { type LogoFailure, type LogoProgress, useSaveLogo } from './use-save-logo';

/** Form values; numbers as typed. */
interface LogoValues {
  file: File | null;
  size: string;
  gap: string;
  vertical: string;
}

const MEASURES: readonly LogoMeasure[] = ['size', 'gap', 'vertical'];

const WHOLE = /^\s*-?\d{1,4}\s*$/;

function logoValues({ size, gap, vertical }: LogoInformation): LogoValues {
  return { file: null, size: String(size), gap: String(gap), vertical: String(vertical) };
}

/** Rules of a measure: an integer within its bounds. */
function measureRules(measure: LogoMeasure) {
  const { min, max } = LOGO_BOUNDS[measure];
  return { required: true, pattern: WHOLE, min, max };
}

/** Parses the measures; an invalid one falls back to the saved value. */
function readMeasures(
  values: Pick<LogoValues, LogoMeasure>,
  saved: Pick<LogoInformation, LogoMeasure>,
): Pick<LogoInformation, LogoMeasure> {
  const read = (measure: LogoMeasure) => {
    const { min, max } = LOGO_BOUNDS[measure];
    const number = WHOLE.test(values[measure]) ? Number(values[measure]) : Number.NaN;
    return number >= min && number <= max ? number : saved[measure];
  };
  return { size: read('size'), gap: read('gap'), vertical: read('vertical') };
}

/** Returns an object URL for a local file, revoked when no longer used. */
function useObjectUrl(file: File | null): string | undefined {
  const [shown, setShown] = useState<{ file: File; address: string }>();

  useEffect(() => {
    if (!file) return undefined;
    const address = URL.createObjectURL(file);
    setShown({ file, address });
    return () => URL.revokeObjectURL(address);
  }, [file]);

  return file !== null && shown?.file === file ? shown.address : undefined;
}

export default function EditLogoPage() {
  const { t } = useTranslation('logo');
  const result = useRecord({
    document: logoSettingQuery,
    variables: { id: LOGO_SETTING_ID },
    typenames: ['SystemSetting'],
    read: ({ setting }) => setting,
  });
  return (
    <PageFrame>
      <RecordState
        result={result}
        loading={<LogoSkeleton />}
        notFound={{
          title: t('notFound.title'),
          text: t('notFound.text'),
          action: t('notFound.action'),
          to: routes.adminSystemSettings(),
        }}
      >
        {(setting) => <LogoForm setting={setting} onReload={result.retry} />}
      </RecordState>
    </PageFrame>
  );
}

interface LogoFormProps {
  setting: LogoSetting;
  /** Reloads the logo. */
  onReload: () => void;
}

const baseOf = ({ value, version }: LogoSetting) => ({ logo: parseLogo(value), version });

function LogoForm({ setting, onReload }: LogoFormProps) {
  const { t } = useTranslation(['logo', 'common', 'form']);
  const name = useAuth().currentUser?.organization.name ?? '';
  // Save based on the version that filled the form, not on a version loaded since.
  const [base, setBase] = useState(() => baseOf(setting));
  const form = useForm<LogoValues>({ defaultValues: logoValues(base.logo), mode: 'onChange' });
  const { control, reset } = form;
  const { isDirty, isSubmitting } = form.formState;
  const { field: file, fieldState: fileState } = useController({ control, name: 'file' });
  const { progress, failure, conflict, save, forget, cancel } = useSaveLogo((saved) => {
    setBase(saved);
    reset(logoValues(saved.logo));
  });
  const chosen = useObjectUrl(file.value);
  const hasLogo = base.logo.url !== '';
  const picture = chosen ?? logoAddress(base.logo.url);
  const measures = readMeasures(useWatch({ control }) as LogoValues, base.logo);

  useRefill(!isDirty && setting.version > base.version, () => {
    const now = baseOf(setting);
    setBase(now);
    reset(logoValues(now.logo));
  });

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
        <UnsavedGuard when={isDirty} isSaving={isSubmitting} />
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
          error={fileState.error?.message}
          onChange={file.onChange}
          onRefused={(message) => form.setError('file', { message })}
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

/** Shows the failed step and its cause, if known. The note stays after the toast has disappeared. */
function FailureNote({ failure }: { failure: LogoFailure }) {
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    box.current?.focus();
  }, [failure]);

  return (
    <Note ref={box} tone="bad" role="alert" title={failure.message}>
      {failure.detail && <p>{failure.detail}</p>}
    </Note>
  );
}

interface LogoPreviewProps {
  measures: Pick<LogoInformation, 'size' | 'gap' | 'vertical'>;
  picture: string | undefined;
  name: string;
}

const LINKS = [
  { name: 'deliveries', icon: Package },
  { name: 'import', icon: Upload },
  { name: 'forms', icon: ClipboardList },
] as const;

/** Preview of the drawer header in both themes. */
function LogoPreview({ measures, picture, name }: LogoPreviewProps) {
  const { t } = useTranslation(['logo', 'navigation']);
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="min-w-0">
      <h2 id={titleId} className="text-base font-semibold">
        {t('preview.title')}
      </h2>
      <p className="mt-0.5 text-sm text-muted">{t('preview.text')}</p>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        {(['light', 'dark'] as const).map((theme) => (
          <div
            key={theme}
            role="group"
            aria-label={t(`preview.${theme}`)}
            data-theme={theme}
            className="overflow-hidden rounded-panel border border-line bg-surface text-fg"
          >
            <div className="px-4 pt-4">
              <LogoHead measures={measures} picture={picture} name={name}>
                <span className="line-clamp-2 text-title font-semibold">{name}</span>
              </LogoHead>
            </div>
            <ul className="border-t border-line px-4 py-2">
              {LINKS.map(({ name: link, icon: Icon }) => (
                <li key={link} className="flex h-8 items-center gap-2.5 text-sm text-muted">
                  <Icon aria-hidden className="size-4" />
                  {t(`links.${link}`, { ns: 'navigation' })}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <Note className="mt-4" title={t('preview.plate.title')}>
        <p>{t('preview.plate.text')}</p>
      </Note>
    </section>
  );
}

interface MeasureFieldProps {
  measure: LogoMeasure;
  control: Control<LogoValues>;
  disabled: boolean;
}

/** Uses the typographic minus sign. */
const signed = (number: number) => String(number).replace('-', '−');

/** A number of pixels, entered by slider or keyboard. */
function MeasureField({ measure, control, disabled }: MeasureFieldProps) {
  const { t } = useTranslation('logo');
  const { min, max } = LOGO_BOUNDS[measure];
  const { field, fieldState } = useController({
    control,
    name: measure,
    rules: measureRules(measure),
  });
  const label = t(`measures.${measure}`);
  return (
    <Field
      required
      label={label}
      error={ruleMessage(label, fieldState.error)}
      action={
        <span className="text-sm text-muted tabular-nums">{t('bounds', { min: signed(min), max })}</span>
      }
    >
      <div className="flex items-center gap-3">
        <input
          type="range"
          aria-label={t('slider', { measure: label })}
          min={min}
          max={max}
          step={1}
          disabled={disabled}
          value={field.value}
          onChange={field.onChange}
          className="h-6 min-w-0 flex-1 accent-accent"
        />
        <Input
          {...field}
          type="number"
          // The numeric keypad of an iPhone has no minus sign.
          inputMode={min < 0 ? undefined : 'numeric'}
          min={min}
          max={max}
          step={1}
          disabled={disabled}
          end={<span className="pe-1 text-sm text-muted">{t('px')}</span>}
          className="w-24 shrink-0"
          inputClassName="text-end tabular-nums"
        />
      </div>
    </Field>
  );
}

/** Progress of saving. */
function SaveSteps({ progress }: { progress: LogoProgress }) {
  const { t } = useTranslation('logo');
  const { steps, step, share } = progress;
  const current = steps.indexOf(step);
  return (
    <Panel aria-label={t('steps.title')} className="p-4">
      <p role="status" className="flex justify-between gap-3 text-sm font-medium">
        {t('steps.title')}
        <span className="font-normal text-muted tabular-nums">
          {t('steps.position', { position: current + 1, count: steps.length })}
        </span>
      </p>
      <ol className="mt-3 flex flex-col gap-2 text-sm">
        {steps.map((name, index) => {
          const Icon = index < current ? CircleCheck : index > current ? CircleDashed : LoaderCircle;
          return (
            <li
              key={name}
              aria-current={index === current ? 'step' : undefined}
              className={cn('flex items-center gap-2', index > current && 'text-muted')}
            >
              <Icon
                aria-hidden
                className={cn(
                  'size-4 shrink-0',
                  index < current && 'text-ok',
                  index === current && 'animate-spin text-accent',
                )}
              />
              <span className="flex-1">{t(`steps.${name}`)}</span>
              {name === 'upload' && index === current && (
                <>
                  <ProgressBar label={t('steps.upload')} value={share} className="w-20" />
                  <span className="w-9 text-end text-muted tabular-nums">
                    {Math.round(share * 100)}%
                  </span>
                </>
              )}
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

/** Skeleton in the layout of the page, so that nothing shifts when the logo loads. */
function LogoSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="grid gap-8 lg:grid-cols-2">
      <div className="flex flex-col gap-6">
        <Panel className="h-28" />
        {Array.from({ length: 3 }, (_, index) => (
          <Skeleton key={index} className="h-9 w-full" />
        ))}
      </div>
      <Panel className="h-52" />
    </div>
  );
}
