static fmi2Status fail(struct fmu *m, const char *message)
{
	if (m->functions->logger)
		m->functions->logger(m->functions->environment, m->name, fmi2Error, "logStatusError", message); /* no % in it: some masters print it as it is */
	return fmi2Error;
}

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static void start(struct fmu *m)
{
	fmi2ValueReference i;

	rths_init(&m->c);
	for (i = 0; i < SETTABLE; i++) /* inputs; defaults puts parameters to their start */
		*real_at(m, i) = 0;
	for (i = 0; i < RTHS_AXES; i++)
		m->command[i] = 0;
	m->in.force[RTHS_FORCES] = 0;
	m->in.age = 0;
	m->in.late = false;
	m->cause = 0;
	m->time = 0;
	defaults(m);
}

RTHS_EXPORT const char *RTHS_FMI(fmi2GetTypesPlatform)(void)
{
	return "default";
}

RTHS_EXPORT const char *RTHS_FMI(fmi2GetVersion)(void)
{
	return "2.0";
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
	(void)c;
	(void)on;
	(void)count;
	(void)categories;
	return fmi2OK;
}

RTHS_EXPORT fmi2Component RTHS_FMI(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
	struct fmu *m;
	size_t n = 0;

	(void)resources;
	(void)visible;
	(void)logging;
	if (!functions || !functions->allocateMemory || !functions->freeMemory || !name || !guid || type != fmi2CoSimulation)
		return NULL;
	if (!same(guid, GUID)) {
		if (functions->logger)
			functions->logger(functions->environment, name, fmi2Error, "logStatusError", "the guid is not that of these sources: want the modelDescription.xml of this FMU");
		return NULL;
	}
	m = functions->allocateMemory(1, sizeof *m);
	if (!m)
		return NULL;
	m->functions = functions;
	for (n = 0; n + 1 < sizeof m->name && name[n]; n++)
		m->name[n] = name[n];
	m->name[n] = 0;
	start(m);
	return m;
}

RTHS_EXPORT void RTHS_FMI(fmi2FreeInstance)(fmi2Component c)
{
	struct fmu *m = c;

	if (m)
		m->functions->freeMemory(m);
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean defined, fmi2Real tolerance, fmi2Real from, fmi2Boolean ends, fmi2Real to)
{
	struct fmu *m = c;

	(void)defined;
	(void)tolerance;
	(void)ends;
	(void)to;
	m->time = from;
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2EnterInitializationMode)(fmi2Component c)
{
	(void)c;
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2ExitInitializationMode)(fmi2Component c)
{
	const char *wrong = take(c);

	return wrong ? fail(c, wrong) : fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2Terminate)(fmi2Component c)
{
	(void)c;
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2Reset)(fmi2Component c)
{
	start(c);
	return fmi2OK;
}

/* One sample: the inputs are those of its beginning. */
RTHS_EXPORT fmi2Status RTHS_FMI(fmi2DoStep)(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean keep)
{
	struct fmu *m = c;

	(void)keep;
	if (!(fabs(step * RTHS_RATE_HZ - 1) <= 1e-6))
		return fail(m, "the communication step is not a sample: want the fixed step of modelDescription.xml (stepSize)");
	m->cause = rths_step(&m->c, &m->in, m->command);
	m->time = time + step;
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2CancelStep)(fmi2Component c)
{
	return fail(c, "a step takes no time and cannot be cancelled");
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real value[])
{
	size_t k;

	for (k = 0; k < count; k++) {
		double *at = real_at(c, vr[k]);

		if (!at)
			return fail(c, "there is no Real variable of this value reference");
		value[k] = *at;
	}
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2SetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[])
{
	size_t k;

	for (k = 0; k < count; k++) {
		double *at = vr[k] < SETTABLE ? real_at(c, vr[k]) : NULL;

		if (!at)
			return fail(c, "this value reference is no Real input or parameter");
		*at = value[k];
	}
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetInteger)(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Integer value[])
{
	struct fmu *m = c;
	size_t k;

	for (k = 0; k < count; k++) {
		if (vr[k] > 1)
			return fail(m, "there is no Integer variable of this value reference");
		value[k] = vr[k] == 0 ? m->in.age : m->cause;
	}
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2SetInteger)(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Integer value[])
{
	struct fmu *m = c;
	size_t k;

	for (k = 0; k < count; k++) {
		if (vr[k] != 0)
			return fail(m, "this value reference is no Integer input");
		m->in.age = value[k];
	}
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetBoolean)(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Boolean value[])
{
	struct fmu *m = c;
	size_t k;

	for (k = 0; k < count; k++) {
		if (vr[k] > 1)
			return fail(m, "there is no Boolean variable of this value reference");
		value[k] = vr[k] == 0 ? m->in.late : m->adaptation;
	}
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2SetBoolean)(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Boolean value[])
{
	struct fmu *m = c;
	size_t k;

	for (k = 0; k < count; k++) {
		if (vr[k] > 1)
			return fail(m, "this value reference is no Boolean input or parameter");
		if (vr[k] == 0)
			m->in.late = value[k] != 0;
		else
			m->adaptation = value[k] != 0;
	}
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetString)(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2String value[])
{
	(void)vr;
	(void)value;
	return count ? fail(c, "there are no String variables") : fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2SetString)(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2String value[])
{
	(void)vr;
	(void)value;
	return count ? fail(c, "there are no String variables") : fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
	(void)state;
	return fail(c, "the state cannot be taken out (canGetAndSetFMUstate is false)");
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state)
{
	(void)state;
	return fail(c, "the state cannot be put in (canGetAndSetFMUstate is false)");
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
	(void)state;
	return fail(c, "there is no state to free (canGetAndSetFMUstate is false)");
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size)
{
	(void)state;
	(void)size;
	return fail(c, "the state cannot be written (canSerializeFMUstate is false)");
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
	(void)state;
	(void)bytes;
	(void)size;
	return fail(c, "the state cannot be written (canSerializeFMUstate is false)");
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
	(void)bytes;
	(void)size;
	(void)state;
	return fail(c, "the state cannot be read (canSerializeFMUstate is false)");
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns, const fmi2ValueReference known[], size_t knowns, const fmi2Real of[], fmi2Real to[])
{
	(void)unknown;
	(void)unknowns;
	(void)known;
	(void)knowns;
	(void)of;
	(void)to;
	return fail(c, "there are no directional derivatives");
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Integer order[], const fmi2Real value[])
{
	(void)vr;
	(void)order;
	(void)value;
	return count ? fail(c, "inputs are held over a sample and have no derivatives") : fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Integer order[], fmi2Real value[])
{
	(void)vr;
	(void)order;
	(void)value;
	return count ? fail(c, "outputs are held over a sample and have no derivatives") : fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
	(void)c;
	(void)kind;
	*value = fmi2OK;
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
	struct fmu *m = c;

	if (kind != fmi2LastSuccessfulTime)
		return fmi2Discard;
	*value = m->time;
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetIntegerStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
	(void)c;
	(void)kind;
	(void)value;
	return fmi2Discard;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
	(void)c;
	if (kind != fmi2Terminated)
		return fmi2Discard;
	*value = 0;
	return fmi2OK;
}

RTHS_EXPORT fmi2Status RTHS_FMI(fmi2GetStringStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
	(void)c;
	(void)kind;
	(void)value;
	return fmi2Discard;
}
