# Included by the Makefile of each plugin, which first sets the variables in which it differs:
#   REQUIRE_HEADER  headers of its library, of which any one suffices
#   REQUIRE_LIBS    linker flags
#   DEBIAN, CONDA   the packages that contain them
#   SHARED_SOURCE   one .c or .cpp file elsewhere, if a linked library has the source too
#   PREPARE         commands that find or download other requirements and fail without them; their exports reach the
#                   compiler
#   FIRST, OBJECTS  commands that precede the compiler, and the object files that they produce
#   PLACE           the folder of the result in aeadlab/, if it is not plugins
#   MISSING         the reason that is reported if a requirement is missing
# The other sources are all .c, or all .cpp, files of the folder; with a Cargo.toml its crate, named as the folder.

NAME := $(lastword $(subst /, ,$(CURDIR)))
BASE := $(dir $(lastword $(MAKEFILE_LIST)))
ROOT := $(BASE)../..
INCLUDE := $(BASE)../include
WORK := $(ROOT)/build/plugins/$(NAME)
PLACE ?= plugins
OUT := $(ROOT)/aeadlab/$(PLACE)/$(NAME)

ifeq ($(origin CXX),default)
CXX := c++
endif
ifdef CONDA_PREFIX
FIND_HEADER := -isystem '$(CONDA_PREFIX)/include'
FIND_LIBS := -L'$(CONDA_PREFIX)/lib' -Wl,-rpath,'$(CONDA_PREFIX)/lib'
endif

ifneq ($(wildcard Cargo.toml),)
SOURCES := Cargo.toml $(wildcard Cargo.lock build.rs src/*.rs $(ROOT)/native/abi/src/*.rs $(ROOT)/native/export/src/*.rs) \
	$(SHARED_SOURCE)
COMPILE = cargo build --release --target-dir $(WORK) \
	&& cp $(WORK)/$(CARGO_BUILD_TARGET)/release/lib$(subst -,_,$(NAME)).so $(WORK)/$(NAME).so
else
SOURCES := $(SHARED_SOURCE) $(wildcard *.c *.cpp)
COMPILER := $(if $(filter %.cpp,$(SOURCES)),$(CXX),$(CC))
# CFLAGS and CXXFLAGS of the environment are not used, so that the flags of a measured plugin are those written here.
FLAGS := -O3 -march=native -fPIC -shared -fvisibility=hidden
# $(call AT_BOTH_LEVELS,FILE.c) is a command for FIRST: it compiles a source for every CPU of the architecture with -O2
# and with -O3, as programs of 2007 were compiled, and the macro LEVEL of 2 and 3. LEVEL_OBJECTS is for OBJECTS.
AT_BOTH_LEVELS = $(foreach level,2 3,$(CC) -O$(level) $(filter-out -O3 -march=native -shared,$(FLAGS)) -DLEVEL=$(level) \
	-Wall -Wextra -I$(INCLUDE) $(FIND_HEADER) -c $(1) -o $(WORK)/level-$(level).o &&) true
LEVEL_OBJECTS = $(foreach level,2 3,$(WORK)/level-$(level).o)
COMPILE = $(if $(FIRST),$(FIRST) &&) $(COMPILER) $(FLAGS) -Wall -Wextra -I$(INCLUDE) $(FIND_HEADER) \
	-DAEADLAB_BUILD='"$(shell $(COMPILER) --version | head -n 1), $(FLAGS)"' -DAEADLAB_LIBRARY='"$(NAME)"' \
	$(SOURCES) $(OBJECTS) -o $(WORK)/$(NAME).so $(FIND_LIBS) $(REQUIRE_LIBS)
endif

# One compiler call tests header and library: without the header main is missing. The variable hides the # from make.
HASH_SIGN := \#
HEADER_FOUND := $(or $(foreach header,$(REQUIRE_HEADER),|| __has_include(<$(header)>)),|| 1)
PROBE = printf '$(HASH_SIGN)if 0 $(HEADER_FOUND)\nint main() { return 0; }\n$(HASH_SIGN)endif\n' \
	| $(CXX) -x c++ - $(FIND_HEADER) -o $(WORK)/probe $(FIND_LIBS) $(REQUIRE_LIBS) >$(WORK)/log 2>&1 \
	$(if $(PREPARE),&& { $(PREPARE); } >>$(WORK)/log 2>&1)

# apt-get runs once, only as root, and not in a conda environment, which should contain the library; never with APT=0.
APT_STAMP := $(ROOT)/build/stamps/apt-$(NAME)
APT_GET := flock $(ROOT)/build/stamps/apt.lock apt-get -o Acquire::Retries=1 -o Acquire::http::Timeout=20
APT_INSTALL = DEBIAN_FRONTEND=noninteractive $(APT_GET) install -y --no-install-recommends $(DEBIAN)
MAY_INSTALL = [ -n '$(DEBIAN)' ] && [ '$(APT)' != 0 ] && [ -z '$(CONDA_PREFIX)' ] && [ "$$(id -u)" = 0 ] \
	&& [ ! -e $(APT_STAMP) ] && command -v apt-get >/dev/null
INSTALL = $(MAY_INSTALL) && touch $(APT_STAMP) && echo "Installing $(DEBIAN) with apt-get" \
	&& { $(APT_INSTALL) || { $(APT_GET) update && $(APT_INSTALL); }; } >$(WORK)/apt.log 2>&1 </dev/null

MISSING ?= found neither header nor library ($(strip $(REQUIRE_HEADER) $(REQUIRE_LIBS))): install\
	$(DEBIAN) with apt$(if $(strip $(CONDA)), or $(CONDA) from conda-forge)
BROKEN = does not compile: $$(grep -m 1 error $(WORK)/log || tail -n 1 $(WORK)/log)

.PHONY: plugin debian
plugin: $(OUT).so
	@:

# Prints the packages that the build would install.
debian:
	@if [ ! -e $(OUT).so ] && $(MAY_INSTALL) && ! dpkg -s $(DEBIAN) >/dev/null 2>&1; then echo '$(DEBIAN)'; fi

# If the library is absent, no file is made and the next run probes again. Another environment may have another library.
$(OUT).so: $(SOURCES) $(wildcard *.h *.hpp Makefile) $(BASE)base.mk $(wildcard $(INCLUDE)/*.h) \
		$(wildcard $(ROOT)/build/stamps/environment)
	@mkdir -p $(WORK) $(dir $(APT_STAMP)) $(@D)
	@if ! { $(PROBE); } && ! { $(INSTALL) && $(PROBE); }; then reason="$(MISSING)"; \
	elif ! { $(COMPILE); } >$(WORK)/log 2>&1; then reason="$(BROKEN)"; \
	else cat $(WORK)/log; mv $(WORK)/$(NAME).so $@; rm -f $(OUT).absent; exit 0; fi; \
	rm -f $@; echo "$$reason" >$(OUT).absent; echo "plugin $(NAME) is absent: $$reason"
