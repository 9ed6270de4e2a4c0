# Takes an FMU through FMPy: python3 fmu.py FILE.fmu compile|binary, with the inputs of the samples on standard input, as 8-byte numbers in the
# order of the Real inputs of modelDescription.xml, then age and late. The commands come out on standard output. FMPy's folder stands
# in PYTHONPATH.
#
# With "compile" the binary is built from the sources of the FMU, else it is the FMU's own.
import os
import shutil
import struct
import subprocess
import sys

out = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # what others print

from fmpy import extract, read_model_description
from fmpy.build import build_platform_binary
from fmpy.fmi2 import FMU2Slave
from fmpy.validation import validate_fmu

problems = validate_fmu(sys.argv[1])
if problems:
    sys.exit("\n".join(problems))
folder = extract(sys.argv[1])
description = read_model_description(folder)
if sys.argv[2] == "compile":
    shutil.rmtree(os.path.join(folder, "binaries"), ignore_errors=True)
    build_platform_binary(folder)

variables = description.modelVariables
real = [v.valueReference for v in variables if v.causality == "input" and v.type == "Real"]
command = [v.valueReference for v in variables if v.causality == "output" and v.name.split("_")[0] == "command"]
step = float(description.defaultExperiment.stepSize)

fmu = FMU2Slave(guid=description.guid, unzipDirectory=folder, modelIdentifier=description.coSimulation.modelIdentifier, instanceName="test")
fmu.instantiate()
fmu.setupExperiment(startTime=0.0)
fmu.enterInitializationMode()
fmu.exitInitializationMode()
try:
    fmu.doStep(currentCommunicationPoint=0.0, communicationStepSize=2 * step)
    sys.exit("a step of two samples is no error")
except Exception as e:
    if "DoStep" not in str(e):
        raise
fmu.reset()
fmu.setupExperiment(startTime=0.0)
fmu.enterInitializationMode()
fmu.exitInitializationMode()

size = 8 * (len(real) + 2)
k = 0
while len(row := sys.stdin.buffer.read(size)) == size:
    values = struct.unpack("<%dd" % (len(real) + 2), row)
    fmu.setReal(real, values[:-2])
    fmu.setInteger([0], [int(values[-2])])
    fmu.setBoolean([0], [values[-1] != 0])
    fmu.doStep(currentCommunicationPoint=k * step, communicationStepSize=step)
    out.write(struct.pack("<%dd" % len(command), *fmu.getReal(command)))
    k += 1
fmu.terminate()
fmu.freeInstance()
shutil.rmtree(folder)
