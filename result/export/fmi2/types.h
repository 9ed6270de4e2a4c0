/* Types of FMI 2.0 for co-simulation, platform "default". */
#ifndef RTHS_FMI2_H
#define RTHS_FMI2_H

#include <stddef.h>

#if defined _WIN32
#define RTHS_EXPORT __declspec(dllexport)
#else
#define RTHS_EXPORT
#endif

/* Several FMUs in one program: FMI2_FUNCTION_PREFIX=NAME_ gives every function its own name, as the standard has it. */
#if defined FMI2_FUNCTION_PREFIX && !defined FMI2_OVERRIDE_FUNCTION_PREFIX
#define RTHS_PASTE(a, b) a##b
#define RTHS_PASTED(a, b) RTHS_PASTE(a, b)
#define RTHS_FMI(name) RTHS_PASTED(FMI2_FUNCTION_PREFIX, name)
#else
#define RTHS_FMI(name) name
#endif

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
	void (*logger)(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status, fmi2String category, fmi2String message, ...);
	void *(*allocateMemory)(size_t count, size_t size);
	void (*freeMemory)(void *object);
	void (*stepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
	fmi2ComponentEnvironment environment;
} fmi2CallbackFunctions;

#endif
